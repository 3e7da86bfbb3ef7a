import { expect, test } from 'vitest';
import type { LockPage, LockRow } from '@/server/contract/console/lock-row';
import { knownDetail } from './known-detail';

test('what is known of a lock has the health of its shard, under the id of its backend', () => {
  const shards = [{ id: 'orders.a', reachable: true, clockOffsetMs: 20 }];
  const whole = { id: 'orders', reachable: false, clockOffsetMs: 9_000, shards };
  const row = { backend: 'orders', shard: 'orders.a', hold: null, ended: null } as LockRow;
  const { backend } = knownDetail(row, { backends: [whole], asOf: 0 } as unknown as LockPage);
  expect(backend).toEqual({ id: 'orders', reachable: true, clockOffsetMs: 20 });
});
