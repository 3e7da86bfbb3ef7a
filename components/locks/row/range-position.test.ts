import { expect, test } from 'vitest';
import { FAR_POSITION, P99_POSITION, rangePosition } from './range-position';

test('the p99 has one fixed position, and five times the p99 another', () => {
  for (const p99Ms of [1, 40, 900, 200_000, 90_000_000]) {
    expect(rangePosition(p99Ms, p99Ms)).toBeCloseTo(P99_POSITION);
    expect(rangePosition(5 * p99Ms, p99Ms)).toBeCloseTo(FAR_POSITION);
  }
});

test('longer is further to the right, and nothing falls off the bar', () => {
  const places = [0, 1, 10, 90, 100, 500, 1_000, 1e12].map((ms) => rangePosition(ms, 100));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(places[0]).toBe(2);
  expect(places.at(-1)).toBe(98.5);
  expect(rangePosition(10, 0)).toBeLessThan(98.5);
});
