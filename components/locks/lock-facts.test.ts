import { describe, expect, test } from 'vitest';
import type { LockRow } from '@/server/contract/console/lock-row';
import { isRenewing, leaseLabel, reasonLabel, shownGrant } from './lock-facts';

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
const plain = (text: string) => text.replaceAll(/[\u202f\u00a0]/g, ' ');

describe('the reason explains the status', () => {
  test.each([
    [row({}), ''],
    [row({ status: 'contended' }), 'renewed 2 s ago'],
    [row({ status: 'contended', hold: { ...hold, renewals: 0 } }), 'not renewed yet'],
    [row({ status: 'contended', hold: null }), 'handing over'],
    [
      row({ status: 'expiring', hold: { ...hold, renewedAt: now - 26_000 } }),
      'renewal overdue by 16 s',
    ],
    [row({ status: 'expired', hold: null, ended }), 'expired 38 s ago'],
    [row({ status: 'unknown' }), 'default not responding (41 s)'],
    [row({ status: 'unknown', unreadable: 'It is no JSON.' }), 'record unreadable'],
    [
      row({ status: 'free', hold: null, ended: { ...ended, cause: 'forced' } }),
      'force-released 38 s ago',
    ],
    [row({ status: 'free', hold: null }), ''],
  ])('%#', (given, words) => {
    expect(plain(reasonLabel(given, now, 41_000))).toBe(words);
  });
});

test('an expired lease counts below zero', () => {
  expect(leaseLabel(row({ status: 'expired', hold: null, ended }), now)).toBe('−00:38');
  expect(leaseLabel(row({}), now)).toBe('00:28');
  expect(leaseLabel(row({ status: 'free', hold: null }), now)).toBe('–');
});

test('an expired grant still shows its owner, a released one does not', () => {
  expect(shownGrant(row({ status: 'expired', hold: null, ended }))?.owner).toBe('billing-1');
  expect(
    shownGrant(row({ status: 'free', hold: null, ended: { ...ended, cause: 'released' } })),
  ).toBeNull();
});

test('a holder counts as renewing until half its lease has passed since the last renewal', () => {
  expect(isRenewing(hold, now)).toBe(true);
  expect(isRenewing(hold, now + 14_000)).toBe(false);
  expect(isRenewing({ ...hold, renewals: 0 }, now)).toBe(false);
});
