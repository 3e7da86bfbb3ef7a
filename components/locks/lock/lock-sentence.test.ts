import { expect, test } from 'vitest';
import type { LockRow } from '@/server/contract/console/lock-row';
import { lockSentence } from './lock-sentence';

const now = 10_000_000;
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
  const ended = {
    owner: 'o',
    service: 's',
    token: 7,
    cause: 'expired' as const,
    grantedAt: 0,
    at: now - 38_000,
  };
  expect(sentence(row({ status: 'expired', hold: null, ended }))).toBe(
    'Lease expired 38 s ago without a release. Available to the next caller.',
  );
});

test('a free lock says how it came to be free', () => {
  const ended = {
    owner: 'o',
    service: 's',
    token: 7,
    cause: 'forced' as const,
    grantedAt: 0,
    at: now - 12_000,
  };
  expect(sentence(row({ status: 'free', hold: null, waiters: 0, ended }))).toBe(
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
