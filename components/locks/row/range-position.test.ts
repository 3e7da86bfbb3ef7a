import { expect, test } from 'vitest';
import { FAR_PLACE, P99_PLACE, rangePlace } from './range-position';

test('its own p99 stands at one place, whatever it is, and five times that at another', () => {
  for (const p99Ms of [1, 40, 900, 200_000, 90_000_000]) {
    expect(rangePlace(p99Ms, p99Ms)).toBeCloseTo(P99_PLACE);
    expect(rangePlace(5 * p99Ms, p99Ms)).toBeCloseTo(FAR_PLACE);
  }
});

test('longer is further to the right, and nothing falls off the bar', () => {
  const places = [0, 1, 10, 90, 100, 500, 1_000, 1e12].map((ms) => rangePlace(ms, 100));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(places[0]).toBe(2);
  expect(places.at(-1)).toBe(98.5);
  expect(rangePlace(10, 0)).toBeLessThan(98.5);
});
