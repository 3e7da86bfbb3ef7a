import { expect, test } from 'vitest';
import { pointsSince } from './points-since';

const points = [
  { at: 1_000, value: 7 },
  { at: 5_000, value: 7 },
  { at: 6_000, value: 9 },
];

test('a course that was read a while ago still begins at the left edge', () => {
  expect(pointsSince(points, 3_000)).toEqual([{ at: 3_000, value: 7 }, ...points.slice(1)]);
  expect(pointsSince(points, 5_500)).toEqual([{ at: 5_500, value: 8 }, ...points.slice(2)]);
  expect(pointsSince(points, 6_000)).toEqual(points.slice(2));
});

test('if all of a course is older the line is flat at its last value', () => {
  expect(pointsSince(points, 9_000)).toEqual([{ at: 9_000, value: 9 }]);
});

test('a course that begins later is left as it is', () => {
  expect(pointsSince(points, 0)).toEqual(points);
  expect(pointsSince([], 0)).toEqual([]);
});
