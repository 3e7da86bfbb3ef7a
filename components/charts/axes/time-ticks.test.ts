import { expect, test } from 'vitest';
import { HOUR_MS } from '@/server/core/time-units';
import { barPx, timeTicks } from './time-ticks';

const to = new Date(2026, 10, 20, 14, 33).getTime();

test.each([
  ['1h', 1, 6],
  ['24h', 24, 6],
  ['7d', 168, 7],
  ['30d', 720, 6],
] as const)('the axis of %s has round instants of the reader’s clock', (range, hours, count) => {
  const from = to - hours * HOUR_MS;
  const ticks = timeTicks(range, from, to);
  expect(ticks).toHaveLength(count);
  for (const at of ticks) {
    expect(at).toBeGreaterThanOrEqual(from);
    expect(at).toBeLessThanOrEqual(to);
    const time = new Date(at);
    expect(time.getMinutes() % 10).toBe(0);
    if (hours > 1) expect(time.getMinutes()).toBe(0);
    if (hours > 24) expect(time.getHours()).toBe(0);
  }
});

// Days on which many time zones change their clocks; the process's zone decides which matter.
const CHANGES = [new Date(2026, 2, 29, 20), new Date(2026, 9, 25, 20), new Date(2026, 10, 1, 20)];

test("labels four hours apart are round in the reader's zone, even when clocks change", () => {
  for (const change of CHANGES) {
    const ticks = timeTicks('24h', change.getTime() - 24 * HOUR_MS, change.getTime());
    expect(ticks.slice(-5).map((at) => new Date(at).getHours())).toEqual([4, 8, 12, 16, 20]);
  }
});

test('when clocks are set back, both hours of that name have labels', () => {
  for (const change of CHANGES) {
    const night = change.getTime() - 20 * HOUR_MS;
    for (let from = night; from < night + 8 * HOUR_MS; from += HOUR_MS) {
      const ticks = timeTicks('1h', from, from + HOUR_MS);
      expect(ticks).toHaveLength(7);
      expect(ticks.every((at) => new Date(at).getMinutes() % 10 === 0)).toBe(true);
    }
  }
});

test('the bars of a chart do not touch, however narrow it is', () => {
  const widths = { phone: 300, page: 900 };
  for (const plotPx of Object.values(widths)) {
    for (const steps of [60, 144]) {
      expect(barPx(steps, plotPx)).toBeGreaterThanOrEqual(1);
      expect(barPx(steps, plotPx)).toBeLessThan(plotPx / steps);
    }
  }
  expect(barPx(60, widths.page)).toBe(7);
  expect(barPx(144, widths.page)).toBe(3);
  expect(barPx(180, 100)).toBe(1);
});
