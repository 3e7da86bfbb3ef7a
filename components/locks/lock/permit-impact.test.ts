import { expect, test } from 'vitest';
import type { HoldRow, LockDetail, WaiterRow } from '@/server/contract/console/lock-row';
import { permitImpact } from './permit-impact';

const hold = { owner: 'w1', mode: 'permit', permits: 2 } as HoldRow;

const waiter = (owner: string, permits: number) =>
  ({ owner, mode: 'permit', permits }) as WaiterRow;

/** Two holders with all of 4 permits, of which the chosen one has 2. */
function detailOf(...waiters: WaiterRow[]): Pick<LockDetail, 'row' | 'waiters'> {
  const row = { hold, holders: 2, permits: { capacity: 4, inUse: 4 } };
  return { row: row as LockDetail['row'], waiters };
}

test('the permits of a released hold go to the waiters that they are enough for', () => {
  const two = detailOf(waiter('w2', 2), waiter('w3', 1));
  expect(permitImpact(two, hold, null)).toBe('2\u00a0permits go to w2. 1 still waiting.');
  expect(permitImpact(detailOf(waiter('w2', 3)), hold, null)).toBe(
    'No grant: w2 waits for 3, 2 would be free.',
  );
  expect(permitImpact(detailOf(), hold, null)).toBe('2 of 4\u00a0permits would be free.');
});

test('with a lock delay permits go to waiters only after it, though others hold permits', () => {
  expect(permitImpact(detailOf(waiter('w2', 2)), hold, '5 s')).toBe(
    '2\u00a0permits go to w2 after 5 s. No other waiters.',
  );
});
