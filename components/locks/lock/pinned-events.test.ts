import { expect, test } from 'vitest';
import type { LockDetail } from '@/server/contract/console/lock-row';
import { pinnedEvents } from './pinned-events';

const NOW = 1_000_000;

const hold = {
  owner: 'w1',
  token: 7,
  grantedAt: NOW - 600_000,
  waitedMs: 0,
  askedToRelease: null,
  renewalsStopped: null,
};

const detailOf = (row: object) =>
  ({ row: { hold, frozen: null, stuck: null, ...row } }) as unknown as LockDetail;

test('the grant of the present hold is pinned, however long ago it was', () => {
  expect(pinnedEvents(detailOf({}), NOW)).toMatchObject([
    { id: 'granted', at: NOW - 600_000, owner: 'w1' },
  ]);
  expect(pinnedEvents(detailOf({ hold: null }), NOW)).toEqual([]);
});

test('the start of being stuck and operator requests are pinned too, newest first', () => {
  const remark = { at: NOW - 5_000, by: 'ada', reason: 'a deploy waits' };
  const stuck = { kind: 'longHold', since: NOW - 60_000, limitMs: 30_000, p99Ms: 6_000 };
  const pinned = pinnedEvents(
    detailOf({ hold: { ...hold, askedToRelease: remark }, stuck, waiters: 2 }),
    NOW,
  );
  expect(pinned.map(({ id }) => id)).toEqual(['asked', 'stuck', 'granted']);
  expect(pinned[0]?.detail).toBe('by ada: “a deploy waits”');
  expect(pinned[1]?.detail).toContain('2 waiting');
});
