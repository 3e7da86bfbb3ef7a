import { expect, test } from 'vitest';
import type { LockRow } from '@/server/contract/console/lock-row';
import { heldMsOf } from './held-time';

const row = (part: Partial<LockRow>, expiresAt = 30_000) =>
  ({
    status: 'held',
    readAt: 10_000,
    ended: null,
    hold: { grantedAt: 10_000, expiresAt },
    ...part,
  }) as LockRow;

test('a hold goes on for as long as its backend answers', () => {
  expect(heldMsOf(row({}), 17_000, 17_000)).toBe(7_000);
});

test('of a lock whose backend is silent it lasted at least until the last answer', () => {
  const silent = row({ status: 'unknown' });
  expect(heldMsOf(silent, 60_000, 14_000)).toBe(4_000);
  expect(heldMsOf(silent, 90_000, 14_000)).toBe(4_000);
});

test('and no longer than its lease, and no shorter than when it was read', () => {
  expect(heldMsOf(row({ status: 'unknown' }, 12_000), 60_000, 14_000)).toBe(2_000);
  expect(heldMsOf(row({ status: 'unknown', readAt: 15_000 }), 60_000, 14_000)).toBe(5_000);
});

test('a tenure that is over lasted until its end', () => {
  const ended = { grantedAt: 1_000, at: 4_000 } as LockRow['ended'];
  expect(heldMsOf(row({ status: 'expired', hold: null, ended }), 60_000, 60_000)).toBe(3_000);
});

test('nothing is held where nothing was granted', () => {
  expect(heldMsOf(row({ status: 'free', hold: null }), 60_000, 60_000)).toBe(null);
});
