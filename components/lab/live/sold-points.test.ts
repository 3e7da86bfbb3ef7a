import { expect, test } from 'vitest';
import { soldPoints } from './sold-points';

const samples = [
  { elapsedMs: 1_000, sold: 40, opsPerSecond: 40 },
  { elapsedMs: 2_000, sold: 82, opsPerSecond: 42 },
];

const start = { elapsedMs: 0, sold: 0, opsPerSecond: null };

test('the chart of what was sold ends with all that was sold, not with the last reading', () => {
  expect(soldPoints(samples, 2_700, 109)).toEqual([
    start,
    ...samples,
    { elapsedMs: 2_700, sold: 109, opsPerSecond: null },
  ]);
});

test('it begins with nothing sold, also before the first reading', () => {
  expect(soldPoints(samples, 6_000, null)).toEqual([start, ...samples]);
  expect(soldPoints([], 6_000, null)).toEqual([start]);
  const early = [{ elapsedMs: 0, sold: 0, opsPerSecond: 0 }, ...samples];
  expect(soldPoints(early, 2_000, 82)).toEqual(early);
});

test('without a single reading the course of a strategy that has ended is not drawn', () => {
  expect(soldPoints([], 2_000, 82)).toEqual([]);
});
