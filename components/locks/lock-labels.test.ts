import { describe, expect, test } from 'vitest';
import type { LockRow } from '@/server/contract/console/lock-row';
import type { StuckReason } from '@/server/core/status/stuck-reason';
import { leaseLabel, lockSentence, reasonLabel, stuckLabel, stuckSentence } from './lock-labels';

const now = 10_000_000;
const plain = (text: string) => text.replaceAll(/[\u202f\u00a0]/g, ' ');

const asked = { by: 'Ana', reason: 'deploy', at: now - 120_000 };
const stuckRow = (stuck: StuckReason | null, waiters: number) =>
  ({
    stuck,
    waiters,
    oldestWaitAt: now - 724_000,
    refused: { attempts: 214, owners: 6, areMore: false, lastAt: now - 6_000 },
    hold: { grantedAt: now - 1_864_000, askedToRelease: asked },
  }) as Pick<LockRow, 'stuck' | 'hold' | 'waiters' | 'oldestWaitAt' | 'refused'>;
const own = { since: now - 1, limitMs: 1_000_000, p99Ms: 200_000 };
const fixed = { since: now - 1, limitMs: 300_000, p99Ms: null };

describe('the label and the sentence say why a lock is stuck', () => {
  test.each<[StuckReason | null, number, string, string]>([
    [null, 1, '', ''],
    [
      { kind: 'longHold', ...own },
      14,
      '9.3 × its p99, 14 waiting',
      'Held 31 m 04 s, 9.3 × its p99 of 3 m 20 s, with 14 waiting.',
    ],
    [
      { kind: 'longHold', ...fixed },
      1,
      'over 5 min limit, 1 waiting',
      'Held 31 m 04 s, over the namespace limit of 5 min, with 1 waiting.',
    ],
    [
      { kind: 'longWait', since: now - 1, limitMs: 600_000 },
      2,
      'wait over 10 min limit',
      'Oldest waiter: 12 m 04 s, over the namespace limit of 10 min.',
    ],
    [
      { kind: 'refusals', ...own },
      0,
      '9.3 × its p99, 214 attempts refused',
      'Held 31 m 04 s, 9.3 × its p99 of 3 m 20 s, with 214 attempts of 6 owners refused.',
    ],
    [
      { kind: 'idleRenewals', wish: 'gaveUp', ...own },
      0,
      'still renewing, waiters timed out',
      'Held 31 m 04 s, 9.3 × its p99 of 3 m 20 s, still renewing though all waiters timed out.',
    ],
    [
      { kind: 'idleRenewals', wish: 'asked', ...fixed },
      0,
      'still renewing after release request',
      'Held 31 m 04 s, over the namespace limit of 5 min, still renewing 2 m 00 s after Ana asked it to release.',
    ],
  ])('%#', (stuck, waiters, few, whole) => {
    expect(plain(stuckLabel(stuckRow(stuck, waiters), now))).toBe(few);
    expect(plain(stuckSentence(stuckRow(stuck, waiters), now))).toBe(whole);
  });
});

const row = (part: Partial<LockRow>): LockRow => ({
  id: 'x',
  namespace: 'stock',
  name: 'sku',
  backend: 'default',
  rev: 1,
  status: 'contended',
  hold: {
    token: 7,
    mode: 'exclusive',
    service: 's',
    owner: 'o',
    holdCount: 1,
    leaseMs: 30_000,
    grantedAt: now - 1_864_000,
    renewedAt: now - 4_000,
    renewals: 312,
    expiresAt: now + 26_000,
    waitedMs: 0,
    meta: {},
    askedToRelease: null,
    renewalsStopped: null,
  },
  holders: 1,
  stuck: null,
  frozen: null,
  delayedUntil: 0,
  ended: null,
  waiters: 14,
  oldestWaitAt: now - 552_000,
  ownHold: null,
  readAt: now,
  ...part,
});
const held = row({}).hold as NonNullable<LockRow['hold']>;
const released = { ...held, releasedAt: now - 3_000, keptUntil: now + 26_000 };
const ended = {
  owner: 'o',
  service: 's',
  token: 7,
  cause: 'expired' as const,
  grantedAt: 0,
  at: now - 38_000,
};

describe('the reason explains the status', () => {
  test.each([
    [row({ status: 'held' }), ''],
    [row({ status: 'held', hold: released }), 'released, frees in 00:26'],
    [row({ status: 'contended', hold: released }), 'released, frees in 00:26'],
    [row({ status: 'free', hold: { ...released, expiresAt: now - 38_000 } }), 'released 38 s ago'],
    [row({ status: 'contended' }), 'renewed 4 s ago'],
    [row({ status: 'contended', hold: { ...held, renewals: 0 } }), 'not renewed yet'],
    [row({ status: 'contended', hold: null }), 'handing over'],
    [
      row({ status: 'expiring', hold: { ...held, renewedAt: now - 26_000 } }),
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
  expect(leaseLabel(row({}), now)).toBe('00:26');
  expect(leaseLabel(row({ status: 'free', hold: null }), now)).toBe('–');
});

const sentence = (given: LockRow) => {
  const { now: first, next } = lockSentence(given, now, 41_000);
  return `${first} ${next}`.trim().replaceAll(/[\u202f\u00a0]/g, ' ');
};

test('a held lock shows its hold time, its waiters and when it frees', () => {
  expect(sentence(row({}))).toBe(
    'Held 31 m 04 s, 14 waiting. Frees in 00:26 unless renewed (renewed 312 times).',
  );
  expect(sentence(row({ waiters: 0, status: 'held' }))).toContain('no waiters');
});

test('a lock that was released and is still held says so, and when it frees', () => {
  expect(sentence(row({ hold: released }))).toBe(
    'Released 3 s ago, still held for its minimum time, 14 waiting. Frees in 00:26.',
  );
  expect(sentence(row({ hold: { ...released, expiresAt: now } }))).toBe('Released. Cleaning up.');
});

test('an unknown state is called unknown', () => {
  expect(sentence(row({ status: 'unknown' }))).toBe(
    'State unknown: backend “default” has not responded for 41 s. Showing last known state.',
  );
});

test('a record that cannot be read says so, and why', () => {
  const unreadable = 'Its rev is not one that Lockyard writes.';
  expect(sentence(row({ status: 'unknown', unreadable }))).toBe(
    'State unknown: record unreadable. Its rev is not one that Lockyard writes. No grants until it can be read.',
  );
});

test('an expired lock says that it was not released', () => {
  expect(sentence(row({ status: 'expired', hold: null, ended }))).toBe(
    'Lease expired 38 s ago without a release. Available to the next caller.',
  );
});

test('a free lock says how it came to be free', () => {
  const forced = { ...ended, cause: 'forced' as const, at: now - 12_000 };
  expect(sentence(row({ status: 'free', hold: null, waiters: 0, ended: forced }))).toBe(
    'Not held, force-released 12 s ago.',
  );
  expect(sentence(row({ status: 'free', hold: null, waiters: 0 }))).toBe('Not held.');
});

test('a frozen lock says who froze it and why, and whether it is still held', () => {
  const frozen = { by: 'Ana', reason: 'a repair.', at: now };
  expect(sentence(row({ status: 'frozen', frozen, holders: 2 }))).toBe(
    'Frozen by Ana: “a repair”. Still held by 2. 14 waiting.',
  );
  expect(sentence(row({ status: 'frozen', frozen, holders: 0, hold: null, waiters: 0 }))).toBe(
    'Frozen by Ana: “a repair”.',
  );
});

test('a delayed lock says why, and when it is available', () => {
  const delayedUntil = now + 3_000;
  expect(
    sentence(row({ status: 'delayed', hold: null, holders: 0, waiters: 1, delayedUntil })),
  ).toBe(
    'Not held: the previous lease expired, lock delay in effect. Available in 3 s; 1 waiting.',
  );
});
