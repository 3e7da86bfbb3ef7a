import { expect, test } from 'vitest';
import type { HoldBar, WaitBar } from '@/server/contract/console/past/lock-timeline';
import { endedHolds, holdSeries, logScale, readingAt } from './instant-reading';

const hold = (from: number, to: number | null, count = 1): HoldBar => {
  return { from, to, service: 's', owner: 'o', token: from, end: null, count };
};
const wait = (from: number, to: number | null): WaitBar => {
  return { from, to, service: 's', owner: 'o', end: null };
};
const refusal = (from: number, attempts: number) => {
  return { from, to: from + 10, attempts, owners: ['o'], areMore: false };
};

const timeline = {
  holds: [hold(0, 100), hold(120, 180, 6), hold(200, null)],
  waits: [wait(20, 60), wait(40, null)],
  refused: [refusal(50, 3), refusal(150, 4)],
  to: 400,
};

test('an instant of an incident has the waits, the hold and the refusals of that instant', () => {
  expect(readingAt(timeline, 10)).toEqual({
    ...{ blockingMs: 0, oldestMs: null, heldMs: 10, refused: 0, lastRefusedMs: null },
  });
  expect(readingAt(timeline, 55)).toEqual({
    ...{ blockingMs: 50, oldestMs: 35, heldMs: 55, refused: 3, lastRefusedMs: 0 },
  });
  expect(readingAt(timeline, 300)).toEqual({
    ...{ blockingMs: 260, oldestMs: 260, heldMs: 100, refused: 7, lastRefusedMs: 140 },
  });
});

test('short holds drawn as one bar are not treated as one long hold', () => {
  expect(readingAt(timeline, 150).heldMs).toBeNull();
  expect(endedHolds(timeline, { from: 0, to: 400 })).toEqual([
    { at: 100, ms: 100 },
    { at: 180, ms: 10 },
  ]);
  expect(holdSeries(timeline, { from: 0, to: 400 }, 4).map(({ heldMs }) => heldMs)).toEqual([
    0, 100, 0, 100, 200,
  ]);
});

test('a scale contains every value, and a longer one is higher', () => {
  const scale = logScale([40_000, 11_512_000, 900]);
  const heights = [900, 40_000, 11_512_000].map(scale);
  expect(heights).toEqual([...heights].sort((a, b) => a - b));
  expect(Math.min(...heights)).toBeGreaterThan(0);
  expect(Math.max(...heights)).toBeLessThan(1);
  expect(logScale([])(0)).toBe(0);
});
