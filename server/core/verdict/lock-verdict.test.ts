import { describe, expect, test } from 'vitest';
import type { HoldRow, LockRow } from '../../contract/console/lock-row';
import { MINUTE_MS } from '../time-units';
import { lockSentence, lockVerdict } from './lock-verdict';

const now = Date.UTC(2026, 10, 18, 2, 47);
const view = {
  now,
  silentMs: 41_000,
  clockText: (at: number) => new Date(at).toISOString().slice(11, 16),
};

const hold: HoldRow = {
  token: 7,
  mode: 'exclusive',
  service: 'billing',
  owner: 'billing-7f9c',
  holdCount: 1,
  leaseMs: 30_000,
  grantedAt: now - 192 * MINUTE_MS,
  renewedAt: now - 4_000,
  renewals: 312,
  expiresAt: now + 26_000,
  waitedMs: 0,
  meta: { host: 'host-4', pid: '4127' },
  askedToRelease: null,
  renewalsStopped: null,
};
const ended = {
  owner: 'billing-7f9c',
  service: 'billing',
  token: 7,
  cause: 'expired' as const,
  grantedAt: now - 50_000,
  at: now - 38_000,
};
const refused = { attempts: 14, owners: 3, areMore: false, lastAt: now - 6_000 };
const lock: LockRow = {
  id: 'x',
  namespace: 'money',
  name: 'invoices',
  backend: 'mysql-core',
  rev: 9,
  status: 'held',
  stuck: null,
  hold,
  holders: 1,
  frozen: null,
  delayedUntil: 0,
  ended: null,
  waiters: 0,
  oldestWaitAt: null,
  ownHold: { p50Ms: 10_000, p99Ms: 40_000, count: 200 },
  readAt: now,
};
const orphaned = {
  token: 7,
  since: Date.UTC(2026, 10, 18, 2, 41),
  witness: 'host-4',
  evidence: 'pid 4127 is gone',
  dead: 1,
};
const free = { status: 'free', hold: null, holders: 0 } as const;
const dead = { ...hold, renewedAt: now - 7 * MINUTE_MS, expiresAt: Date.UTC(2026, 10, 18, 3, 20) };
const limit = { since: now - 1_000, limitMs: 300_000 };
const remark = { by: 'Ana', reason: 'a deploy waits.', at: now - 120_000 };
const held = 'Held for 3 h 12 m (usually under 40 s) by billing-7f9c on host-4.';

const plain = (text: string) => text.replaceAll(/[\u202f\u00a0]/g, ' ');
const sentence = (part: Partial<LockRow>) => plain(lockSentence({ ...lock, ...part }, view));

test('of a backend that refuses to serve it says how and why, not that it is silent', () => {
  const unknown: LockRow = { ...lock, status: 'unknown', readAt: now - 60_000 };
  const refusal = { outage: 'rejecting requests' as const, reason: 'Redis is full.' };
  const rejecting = { ...view, refusal };
  expect(plain(lockSentence(unknown, rejecting))).toBe(
    'State unknown for 41 s: backend “mysql-core” rejects requests. Redis is full. Last known: ' +
      'held for at least 3 h 11 m by billing-7f9c on host-4.',
  );
  expect(plain(lockSentence({ ...unknown, hold: null }, rejecting))).toBe(
    'State unknown for 41 s: backend “mysql-core” rejects requests. Redis is full.',
  );
  const disabled = { outage: 'disabled on this server' as const, reason: 'It was resharded.' };
  expect(plain(lockSentence({ ...unknown, hold: null }, { ...view, refusal: disabled }))).toBe(
    'State unknown for 41 s: backend “mysql-core” is disabled on this server. It was resharded.',
  );
});

describe('one sentence says what an engineer would say of a lock', () => {
  test.each<[string, Partial<LockRow>, string]>([
    [
      'orphaned',
      { status: 'orphaned', hold: dead, orphaned, waiters: 2, refused },
      `${held} That process exited at 02:41. The lease expires at 03:20. ` +
        '2 waiting, 14 attempts refused.',
    ],
    [
      'orphaned, one of several',
      { status: 'orphaned', hold: dead, orphaned, holders: 3 },
      'Held for 3 h 12 m (usually under 40 s) by billing-7f9c on host-4 and 2 others. ' +
        '1 of its 3 processes is dead. The lease expires at 03:20. No waiters.',
    ],
    [
      'held',
      {},
      `${held} That process is alive and keeps renewing; without another renewal the lease ` +
        'expires in 26 s. No waiters.',
    ],
    [
      'held and not renewed',
      { hold: { ...hold, grantedAt: now - 4_000, renewals: 0 } },
      'Held for 4 s (usually under 40 s) by billing-7f9c on host-4. Not renewed yet; the lease ' +
        'expires in 26 s unless renewed. No waiters.',
    ],
    [
      'new, beside its namespace',
      { ownHold: null, namespaceHold: { p50Ms: 1, p99Ms: 12_000, count: 900 } },
      'Held for 3 h 12 m (new; locks of money usually under 12 s) by billing-7f9c on host-4. ' +
        'That process is alive and keeps renewing; without another renewal the lease expires ' +
        'in 26 s. No waiters.',
    ],
    [
      'new, in a new namespace, by a process that gives no host',
      { ownHold: null, hold: { ...hold, meta: {} } },
      'Held for 3 h 12 m by billing-7f9c. That process is alive and keeps renewing; without ' +
        'another renewal the lease expires in 26 s. No waiters.',
    ],
    [
      'contended, renewals blocked',
      { status: 'contended', hold: { ...hold, renewalsStopped: remark }, waiters: 1_400 },
      `${held} Renewals are blocked: the lease expires in 26 s. 1,400 waiting.`,
    ],
    [
      'handed over',
      { status: 'contended', hold: null, holders: 0, waiters: 3 },
      'Not held, handing over. 3 waiting.',
    ],
    [
      'stuck and alive',
      { status: 'stuck', stuck: { kind: 'longHold', p99Ms: 40_000, ...limit }, waiters: 14 },
      `${held} That process is alive and keeps renewing; the lock will not free itself. ` +
        '14 waiting.',
    ],
    [
      'stuck beyond the limit of its namespace, alive or not',
      {
        status: 'stuck',
        stuck: { kind: 'refusals', p99Ms: null, ...limit },
        hold: { ...hold, renewedAt: now - 40_000, expiresAt: now + 20 * MINUTE_MS },
        refused,
      },
      'Held for 3 h 12 m (limit of its namespace: 5 min) by billing-7f9c on host-4. Whether ' +
        'that process is alive is unknown. Its renewal is overdue by 30 s; the lease expires ' +
        'at 03:07 unless renewed. No waiters, 14 attempts refused.',
    ],
    [
      'stuck by a wait',
      {
        status: 'stuck',
        stuck: { kind: 'longWait', ...limit },
        oldestWaitAt: now - 724_000,
        waiters: 1,
      },
      `${held} The longest wait is 12 m 04 s, over the namespace limit of 5 min. That process ` +
        'is alive and keeps renewing; the lock will not free itself. 1 waiting.',
    ],
    [
      'stuck after a request',
      {
        status: 'stuck',
        stuck: { kind: 'idleRenewals', wish: 'asked', p99Ms: 40_000, ...limit },
        hold: { ...hold, askedToRelease: remark },
      },
      `${held} It still renews 2 m 00 s after Ana asked it to release. That process is alive ` +
        'and keeps renewing; the lock will not free itself. No waiters.',
    ],
    [
      'stuck after its waiters timed out',
      {
        status: 'stuck',
        stuck: { kind: 'idleRenewals', wish: 'gaveUp', p99Ms: 40_000, ...limit },
      },
      `${held} It still renews though all waiters timed out. That process is alive and keeps ` +
        'renewing; the lock will not free itself. No waiters.',
    ],
    [
      'expiring',
      {
        status: 'expiring',
        hold: { ...hold, leaseMs: 60_000, renewedAt: now - 50_000, expiresAt: now + 10_000 },
      },
      `${held} Whether that process is alive is unknown. Its renewal is overdue by 30 s; the ` +
        'lease expires in 10 s unless renewed. No waiters.',
    ],
    [
      'expired',
      { ...free, status: 'expired', ended: { ...ended, at: now - 38_000 } },
      'The lease of billing-7f9c expired 38 s ago without a release, after 12 s. Available to ' +
        'the next caller.',
    ],
    [
      'expired, not yet written',
      { status: 'expired', hold: { ...hold, expiresAt: now - 5 * MINUTE_MS }, holders: 0 },
      'The lease of billing-7f9c on host-4 expired at 02:42 without a release, after 3 h 07 m. ' +
        'Available to the next caller.',
    ],
    [
      'delayed',
      {
        ...free,
        status: 'delayed',
        ended: { ...ended, cause: 'forced' },
        delayedUntil: now + 3_000,
        waiters: 1,
      },
      'Not held: force-released 38 s ago from billing-7f9c. Grants are paused and resume in 3 s. ' +
        '1 waiting.',
    ],
    [
      'delayed after a release, as in a restored backup',
      {
        ...free,
        status: 'delayed',
        ended: { ...ended, cause: 'released' },
        delayedUntil: now + 3_000,
      },
      'Not held: released 38 s ago by billing-7f9c. Grants are paused and resume in 3 s. ' +
        'No waiters.',
    ],
    [
      'frozen and held',
      { status: 'frozen', frozen: remark, waiters: 2 },
      `Frozen by Ana 2 m 00 s ago: “a deploy waits”. ${held} That process is alive and ` +
        'keeps renewing; without another renewal the lease expires in 26 s. 2 waiting.',
    ],
    [
      'frozen and free',
      { ...free, status: 'frozen', frozen: remark },
      'Frozen by Ana 2 m 00 s ago: “a deploy waits”.',
    ],
    [
      'unknown',
      { status: 'unknown', hold: { ...hold, expiresAt: now + 60_000 }, readAt: now - 60_000 },
      'State unknown: backend “mysql-core” has not responded for 41 s. Last known: held for at ' +
        'least 3 h 11 m by billing-7f9c on host-4.',
    ],
    [
      'unknown and free before',
      { ...free, status: 'unknown' },
      'State unknown: backend “mysql-core” has not responded for 41 s.',
    ],
    [
      'unreadable',
      { ...free, status: 'unknown', unreadable: 'Its rev is not one that Lockyard writes.' },
      'State unknown: record unreadable. Its rev is not one that Lockyard writes. No grants ' +
        'until it can be read.',
    ],
    [
      'held with permits',
      {
        hold: { ...hold, mode: 'permit', permits: 3 },
        holders: 4,
        permits: { inUse: 7, capacity: 10 },
      },
      'Held for 3 h 12 m (usually under 40 s) by billing-7f9c on host-4 and 3 others, 7 of 10 ' +
        'permits in use. That process is alive and keeps renewing; without another renewal the ' +
        'lease expires in 26 s. No waiters.',
    ],
    [
      'shared by two',
      { hold: { ...hold, mode: 'shared' }, holders: 2, status: 'contended', waiters: 1 },
      'Held for 3 h 12 m (usually under 40 s) by billing-7f9c on host-4 and 1 other. That ' +
        'process is alive and keeps renewing; without another renewal the lease expires in ' +
        '26 s. 1 waiting.',
    ],
    [
      'part of a multi-lock',
      { hold: { ...hold, set: { id: 's', size: 3 } } },
      'Held for 3 h 12 m (usually under 40 s) by billing-7f9c on host-4, together with 2 other ' +
        'locks of one request. That process is alive and keeps renewing; without another ' +
        'renewal the lease expires in 26 s. No waiters.',
    ],
    [
      'kept after its release',
      { hold: { ...hold, releasedAt: now - 3_000, keptUntil: now + 26_000 } },
      'Released 3 s ago by billing-7f9c on host-4, still held for its minimum time: it frees ' +
        'in 26 s. No waiters.',
    ],
    [
      'free after a kept hold',
      { ...free, hold: { ...hold, releasedAt: now - 99_000, expiresAt: now - 38_000 } },
      'Free. Released by billing-7f9c on host-4 38 s ago, after 3 h 11 m.',
    ],
    [
      'free',
      { ...free, ended: { ...ended, cause: 'released' } },
      'Free. Released by billing-7f9c 38 s ago, after 12 s.',
    ],
    [
      'free since this moment',
      { ...free, ended: { ...ended, cause: 'released', grantedAt: now - 50_400, at: now - 400 } },
      'Free. Released by billing-7f9c just now, after 50 s.',
    ],
    [
      'free after less than a second',
      {
        ...free,
        ended: { ...ended, cause: 'released', grantedAt: now - 38_088, at: now - 38_000 },
      },
      'Free. Released by billing-7f9c 38 s ago, after 88 ms.',
    ],
    [
      'expired after less than a second',
      {
        ...free,
        status: 'expired',
        ended: { ...ended, cause: 'expired', grantedAt: now - 38_100, at: now - 38_000 },
      },
      'The lease of billing-7f9c expired 38 s ago without a release, after 100 ms. Available to ' +
        'the next caller.',
    ],
    [
      'held since this moment',
      { hold: { ...hold, grantedAt: now - 400, renewedAt: now - 400, renewals: 0 } },
      'Held for less than 1 s (usually under 40 s) by billing-7f9c on host-4. Not renewed yet; ' +
        'the lease expires in 26 s unless renewed. No waiters.',
    ],
    [
      'held for the last moment of its lease, whose renewal has just become late',
      { hold: { ...hold, leaseMs: 2_400, renewedAt: now - 1_700, expiresAt: now + 700 } },
      `${held} That process is alive. Its renewal is overdue by less than 1 s; the lease ` +
        'expires in less than 1 s unless renewed. No waiters.',
    ],
    [
      'stuck by a wait under a second',
      {
        status: 'stuck',
        stuck: { kind: 'longWait', since: now, limitMs: 500 },
        oldestWaitAt: now - 600,
        waiters: 1,
      },
      `${held} The longest wait is less than 1 s, over the namespace limit of 500 ms. That ` +
        'process is alive and keeps renewing; the lock will not free itself. 1 waiting.',
    ],
    [
      'delayed for another moment, by a clock that is a moment ahead',
      {
        ...free,
        status: 'delayed',
        ended: { ...ended, cause: 'forced', at: now + 20 },
        delayedUntil: now + 20,
      },
      'Not held: force-released just now from billing-7f9c. Grants are paused and resume in less ' +
        'than 1 s. No waiters.',
    ],
    [
      'held, and not yet read since its lease expired',
      { hold: { ...hold, renewalsStopped: remark, expiresAt: now - 2_000 } },
      `${held} Renewals are blocked: the lease expires in less than 1 s. No waiters.`,
    ],
    [
      'free since an operator released it',
      { ...free, ended: { ...ended, cause: 'forced' } },
      'Free. Force-released from billing-7f9c 38 s ago, after 12 s.',
    ],
    ['free and never held', free, 'Free.'],
    [
      'never used',
      { ...free, rev: 0 },
      'No lock by this name is known in money. It was never used, or its record was deleted or ' +
        'lost in a data loss.',
    ],
  ])('%s', (_, part, expected) => {
    expect(sentence(part)).toBe(expected);
  });
});

test('what needs a person is marked as such, and a calm lock has no mark', () => {
  const alarms = (part: Partial<LockRow>) =>
    lockVerdict({ ...lock, ...part }, view)
      .filter(({ tone }) => tone === 'alarm')
      .map(({ text }) => plain(text));
  const ill = { status: 'orphaned', hold: dead, orphaned, waiters: 2 } as const;
  expect(alarms(ill)).toEqual(['That process exited at 02:41.', '2 waiting']);
  expect(alarms({ status: 'contended', waiters: 2 })).toEqual([]);
});

test('a name with invisible characters does not affect the sentence', () => {
  const owner = 'job\u202ekcuts';
  expect(sentence({ hold: { ...hold, owner } })).toContain('by job[U+202E]kcuts on host-4.');
});

test('a renewal that is not known since the last reading is not overdue', () => {
  const read = { ...view, readAt: now };
  const text = (laterMs: number) => plain(lockSentence(lock, { ...read, now: now + laterMs }));
  expect(text(0)).toContain('keeps renewing; without another renewal the lease expires in 26 s');
  expect(text(14_000)).toContain('keeps renewing; without another renewal the lease expires in 12');
  const silent = { ...lock, hold: { ...hold, renewedAt: now - 40_000 } };
  const later = plain(lockSentence(silent, { ...read, now: now + 4_000 }));
  expect(later).toContain('overdue by 34 s');
});
