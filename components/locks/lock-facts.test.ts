import { expect, test } from 'vitest';
import type { LockRow } from '@/server/contract/console/lock-row';
import { heldMsOf, isRenewing, shownGrant } from './lock-facts';

const now = 1_000_000;
const hold = {
  token: 7,
  service: 'billing',
  owner: 'billing-1',
  mode: 'exclusive' as const,
  holdCount: 1,
  leaseMs: 30_000,
  grantedAt: now - 60_000,
  renewedAt: now - 2_000,
  renewals: 3,
  expiresAt: now + 28_000,
  waitedMs: 0,
  meta: {},
  askedToRelease: null,
  renewalsStopped: null,
};
const row = (part: Partial<LockRow>): LockRow => ({
  id: 'x',
  namespace: 'money',
  name: 'run',
  backend: 'default',
  rev: 1,
  status: 'held',
  hold,
  holders: 1,
  stuck: null,
  frozen: null,
  delayedUntil: 0,
  ended: null,
  waiters: 0,
  oldestWaitAt: null,
  ownHold: null,
  readAt: now,
  ...part,
});
const ended = {
  owner: 'billing-1',
  service: 'billing',
  token: 7,
  cause: 'expired' as const,
  grantedAt: now - 100_000,
  at: now - 38_000,
};
test('an expired grant still shows its owner, a released one does not', () => {
  expect(shownGrant(row({ status: 'expired', hold: null, ended }))?.owner).toBe('billing-1');
  expect(
    shownGrant(row({ status: 'free', hold: null, ended: { ...ended, cause: 'released' } })),
  ).toBeNull();
});

test('a free lock shows no grant, though its record still has a hold that is over', () => {
  const over = { ...hold, releasedAt: now - 5_000, expiresAt: now - 1_000 };
  expect(shownGrant(row({ status: 'free', hold: over }))).toBeNull();
  expect(heldMsOf(row({ status: 'free', hold: over }), now, now)).toBeNull();
});

test('a holder counts as renewing until half its lease has passed since the last renewal', () => {
  expect(isRenewing(hold, now)).toBe(true);
  expect(isRenewing(hold, now + 14_000)).toBe(false);
  expect(isRenewing({ ...hold, renewals: 0 }, now)).toBe(false);
  expect(isRenewing({ ...hold, releasedAt: now - 1_000 }, now)).toBe(false);
});

const heldRow = (part: Partial<LockRow>, expiresAt = 30_000) =>
  ({
    status: 'held',
    readAt: 10_000,
    ended: null,
    hold: { grantedAt: 10_000, expiresAt },
    ...part,
  }) as LockRow;

test('a hold continues while its backend responds', () => {
  expect(heldMsOf(heldRow({}), 17_000, 17_000)).toBe(7_000);
});

test('an unknown lock was held at least until the last answer of its backend', () => {
  const silent = heldRow({ status: 'unknown' });
  expect(heldMsOf(silent, 60_000, 14_000)).toBe(4_000);
  expect(heldMsOf(silent, 90_000, 14_000)).toBe(4_000);
});

test('an unknown lock was held no longer than its lease, and at least until it was read', () => {
  expect(heldMsOf(heldRow({ status: 'unknown' }, 12_000), 60_000, 14_000)).toBe(2_000);
  expect(heldMsOf(heldRow({ status: 'unknown', readAt: 15_000 }), 60_000, 14_000)).toBe(5_000);
});

test('an expired grant lasted until its end', () => {
  const ended = { grantedAt: 1_000, at: 4_000 } as LockRow['ended'];
  expect(heldMsOf(heldRow({ status: 'expired', hold: null, ended }), 60_000, 60_000)).toBe(3_000);
});

test('a free lock has no hold time', () => {
  expect(heldMsOf(heldRow({ status: 'free', hold: null }), 60_000, 60_000)).toBe(null);
});
