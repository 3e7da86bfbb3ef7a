import { expect, test } from 'vitest';
import { soldPoints } from './sold-points';

const samples = [
  { elapsedMs: 1_000, sold: 40, opsPerSecond: 40 },
  { elapsedMs: 2_000, sold: 82, opsPerSecond: 42 },
];

test('the chart of what was sold ends with all that was sold, not with the last reading', () => {
  expect(soldPoints(samples, 2_700, 109)).toEqual([
    ...samples,
    { elapsedMs: 2_700, sold: 109, opsPerSecond: null },
  ]);
});

test('while a strategy runs, and without readings, nothing is added', () => {
  expect(soldPoints(samples, 6_000, null)).toEqual(samples);
  expect(soldPoints(samples, 2_000, 82)).toEqual(samples);
  expect(soldPoints([], 2_000, 82)).toEqual([]);
});
