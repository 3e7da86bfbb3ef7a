import { expect, test } from 'vitest';
import type { LockInsight } from '@/server/contract/console/insight-row';
import { zoomedInsight, zoomWithin } from './zoomed-insight';

const insight = {
  stepMs: 10,
  points: Array.from({ length: 10 }, (_, i) => ({ at: i * 10 })),
} as unknown as LockInsight;

const shown = (from: number, to: number) =>
  zoomedInsight(insight, { from, to }).points.map(({ at }) => at);

test('a zoom shows every step that it touches, and at least two', () => {
  expect(shown(25, 55)).toEqual([20, 30, 40, 50]);
  expect(shown(31, 32)).toEqual([30, 40]);
  expect(shown(95, 99)).toEqual([80, 90]);
  expect(shown(200, 300)).toEqual([80, 90]);
  expect(zoomedInsight(insight, null)).toBe(insight);
});

test('a zoom ends when no part of it is left in the range', () => {
  const within = (from: number, to: number) => zoomWithin(insight, { from, to });
  expect(within(25, 55)).toEqual({ from: 25, to: 55 });
  expect(within(-20, 5)).toEqual({ from: -20, to: 5 });
  expect(within(-20, 0)).toBeNull();
  expect(within(100, 120)).toBeNull();
  expect(zoomWithin(insight, null)).toBeNull();
});
