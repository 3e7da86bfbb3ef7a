import { expect, test } from 'vitest';
import type { HoldRow, LockDetail } from '@/server/contract/console/lock-row';
import type { HeadBlockerRow, WaitGraph } from '@/server/contract/console/waits/wait-graph';
import { leastWorkHold, lockWithHold } from './use-hold-act';

const hold = (token: number) => ({ token }) as HoldRow;
const detail = (...holds: HoldRow[]) =>
  ({ row: { name: 'job', hold: holds[0] ?? null }, holds }) as LockDetail;

test('an action on a hold of a deadlock applies to that hold, never to a later one', () => {
  expect(lockWithHold(detail(hold(7), hold(9)), 9)?.hold).toEqual(hold(9));
  expect(lockWithHold(detail(hold(8)), 7)).toBeNull();
  expect(lockWithHold(detail(), 7)).toBeNull();
});

test('the latest grant of a deadlock is found even if the clocks of shards differ', () => {
  const lock = (shard: string, grantedAt: number, owner: number) => {
    return { backend: 'orders', shard, holders: [{ token: 1, owner, grantedAt }] };
  };
  const shards = [
    { id: 'orders.a', clockOffsetMs: 60_000 },
    { id: 'orders.b', clockOffsetMs: 0 },
  ];
  const graph = {
    locks: [lock('orders.a', 65_000, 0), lock('orders.b', 9_000, 1)],
    owners: [{ owner: 'early' }, { owner: 'late' }],
    backends: [{ id: 'orders', clockOffsetMs: 60_000, shards }],
  } as unknown as WaitGraph;
  const steps = [0, 1].map((place) => ({ owner: place, lock: place, token: 1 }));
  const head = { deadlock: { steps } } as HeadBlockerRow;
  expect(leastWorkHold(head, graph)?.owner).toBe('late');
});
