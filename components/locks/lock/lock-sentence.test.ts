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
const told = (given: LockRow) => {
  const { now: first, next } = lockSentence(given, now, 41_000);
  return `${first} ${next}`.trim().replaceAll(/[\u202f\u00a0]/g, ' ');
};

test('a held lock says since when, who waits, and when it frees itself', () => {
  expect(told(row({}))).toBe(
    'Held 31 m 04 s, and 14 wait. Frees in 00:26 unless renewed (renewed 312 times).',
  );
  expect(told(row({ waiters: 0, status: 'held' }))).toContain('nobody waits');
});

test('what is not known is called not known', () => {
  expect(told(row({ status: 'unknown' }))).toBe(
    'Not known: default has been silent for 41 s. Below stands the last good reading.',
  );
});

test('a record that cannot be read says so, and why', () => {
  const unreadable = 'Its rev is not one that Lockyard writes.';
  expect(told(row({ status: 'unknown', unreadable }))).toBe(
    'Not known: its record cannot be read. Its rev is not one that Lockyard writes. Nobody is granted it meanwhile.',
  );
});

test('a lapsed lock says that nobody released it', () => {
  const ended = {
    owner: 'o',
    service: 's',
    token: 7,
    cause: 'expired' as const,
    grantedAt: 0,
    at: now - 38_000,
  };
  expect(told(row({ status: 'expired', hold: null, ended }))).toBe(
    'Its lease ran out 38 s ago, and nobody released it. The next to ask gets it.',
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
  expect(told(row({ status: 'free', hold: null, waiters: 0, ended }))).toBe(
    'Nobody holds it, forced 12 s ago.',
  );
  expect(told(row({ status: 'free', hold: null, waiters: 0 }))).toBe('Nobody holds it.');
});

test('a frozen lock says who froze it and why, and whether it is still held', () => {
  const frozen = { by: 'Ana', reason: 'a repair', at: now };
  expect(told(row({ status: 'frozen', frozen, holders: 2 }))).toBe(
    'Frozen by Ana: “a repair”. Still held, by 2. 14 wait.',
  );
  expect(told(row({ status: 'frozen', frozen, holders: 0, hold: null, waiters: 0 }))).toBe(
    'Frozen by Ana: “a repair”.',
  );
});

test('a delayed lock says when it opens', () => {
  const delayedUntil = now + 3_000;
  expect(told(row({ status: 'delayed', hold: null, holders: 0, waiters: 1, delayedUntil }))).toBe(
    'Nobody holds it: its last hold was lost, and the lock rests. Opens in 3 s; 1 waits.',
  );
});
