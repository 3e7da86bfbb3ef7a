import { expect, test } from 'vitest';
import type { LockInsight } from '@/server/contract/console/insight-row';
import { zoomedInsight } from './zoomed-insight';

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
