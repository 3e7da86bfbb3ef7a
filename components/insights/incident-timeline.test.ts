import { expect, test } from 'vitest';
import { blockingSeries } from './incident-timeline';

const wait = (from: number, to: number | null) => {
  return { from, to, service: 's', owner: 'o', end: null };
};

test('the blocking time is the sum of the ages of all waits at each instant', () => {
  const series = blockingSeries([wait(0, 50), wait(20, null)], { from: 0, to: 100 }, 10);
  expect(series.map(({ blockingMs }) => blockingMs)).toEqual([
    0, 10, 20, 40, 60, 80, 40, 50, 60, 70, 80,
  ]);
});
