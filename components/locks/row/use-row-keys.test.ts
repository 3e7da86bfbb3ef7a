import { expect, test } from 'vitest';
import type { LockRow } from '@/server/contract/console/lock-row';
import { keyedLock } from './use-row-keys';

const lock = (id: string, token: number) => ({ id, hold: { token } }) as LockRow;

test('the keys of actions apply to the hold that the preview of their lock shows', () => {
  const [row, shown] = [lock('shared', 1), lock('shared', 7)];
  expect(keyedLock(row, shown)).toBe(shown);
  expect(keyedLock(row, null)).toBe(row);
});

test('they never apply to the lock of a preview that has not followed the keyboard yet', () => {
  const row = lock('next', 1);
  expect(keyedLock(row, lock('before', 7))).toBe(row);
  expect(keyedLock(undefined, lock('before', 7))).toBeUndefined();
});
