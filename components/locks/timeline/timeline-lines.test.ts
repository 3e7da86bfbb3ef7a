import { expect, test } from 'vitest';
import type { WaitBar } from '@/server/contract/console/past/lock-timeline';
import { timelineSummary } from './timeline-labels';
import { timelineLines, unlistedText } from './timeline-lines';

const waitOf = (owner: string, from: number): WaitBar => {
  return { from, to: from + 500, service: 'orders', owner, end: 'granted' };
};

const plain = (text: string | null) => text?.replaceAll('\u00a0', ' ');

const lanes = {
  holds: [],
  rows: 1,
  lanes: [{ owner: 'a', service: 'orders', bars: [waitOf('a', 1_000)] }],
  folded: [waitOf('b', 2_000), waitOf('b', 4_000), waitOf('c', 3_000)],
  more: 5,
  moreWaits: 7,
};

test('the table of a timeline has waits without a lane, and says how many it lacks', () => {
  const lines = timelineLines(lanes, [], [], 9_000);
  expect(lines.map(({ who, at }) => [who, at])).toEqual([
    ['b', 4_000],
    ['c', 3_000],
    ['b', 2_000],
    ['a', 1_000],
  ]);
  expect(plain(unlistedText(lanes))).toBe('3 more waiters and 7 more waits not listed.');
  expect(unlistedText({ folded: [], more: 0, moreWaits: 0 })).toBeNull();
});

test('waits of the past that are not drawn are not counted as waiters', () => {
  expect(plain(timelineSummary(lanes, []))).toBe(
    '0 holds, 6 waiters and 7 more waits, no operator acts.',
  );
});
