import { expect, test } from 'vitest';
import { blockingSeries } from './incident-timeline';

const wait = (from: number, to: number | null) => {
  return { from, to, service: 's', owner: 'o', end: null };
};

test('the blocking time is the sum of the ages of all waits at each instant', () => {
  const series = blockingSeries([wait(0, 50), wait(20, null)], { from: 0, to: 100 }, 10);
  expect(series.map(({ blockingMs }) => blockingMs)).toEqual([
    0, 10, 20, 40, 60, 80, 31, 40, 50, 60, 70, 80,
  ]);
});

test('the series includes the peak of waits that are short compared with a step', () => {
  const waits = [wait(1_010, 1_090), wait(1_020, 1_080), wait(1_030, null)];
  const series = blockingSeries(waits, { from: 0, to: 10_000 }, 10);
  expect(series.find(({ at }) => at === 1_080)).toEqual({ at: 1_080, blockingMs: 70 + 60 + 50 });
  expect(series.map(({ at }) => at)).toEqual([...series.map(({ at }) => at)].sort((a, b) => a - b));
  expect(blockingSeries(waits, { from: 2_000, to: 3_000 }, 2)).toHaveLength(3);
});
