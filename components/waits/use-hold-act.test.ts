import { expect, test } from 'vitest';
import type { HoldRow, LockDetail } from '@/server/contract/console/lock-row';
import { lockWithHold } from './use-hold-act';

const hold = (token: number) => ({ token }) as HoldRow;
const detail = (...holds: HoldRow[]) =>
  ({ row: { name: 'job', hold: holds[0] ?? null }, holds }) as LockDetail;

test('an action on a hold of a deadlock applies to that hold, never to a later one', () => {
  expect(lockWithHold(detail(hold(7), hold(9)), 9)?.hold).toEqual(hold(9));
  expect(lockWithHold(detail(hold(8)), 7)).toBeNull();
  expect(lockWithHold(detail(), 7)).toBeNull();
});
