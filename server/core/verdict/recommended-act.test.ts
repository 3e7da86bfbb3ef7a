import { describe, expect, test } from 'vitest';
import type { HoldRow, LockRow, WaiterRow } from '../../contract/console/lock-row';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import { recommendedAct } from './recommended-act';
import type { ActFacts } from './release-impact';
import type { VerdictView } from './verdict';

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
  grantedAt: now - 3_600_000,
  renewedAt: now - 4_000,
  renewals: 312,
  expiresAt: now + 26_000,
  waitedMs: 0,
  meta: { host: 'host-4' },
  askedToRelease: null,
  renewalsStopped: null,
};
const waiter = (owner: string, part: Partial<WaiterRow> = {}): WaiterRow => ({
  ticket: 1,
  mode: 'exclusive',
  owner,
  service: 'billing',
  process: 'p',
  enqueuedAt: now - 60_000,
  patienceUntil: now + 600_000,
  detached: false,
  ...part,
});
const row: LockRow = {
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
const orphaned = { token: 7, since: now - 360_000, witness: 'w', evidence: 'gone', dead: 1 };
const longLease = { ...hold, renewedAt: now - 360_000, expiresAt: now + 1_980_000 };
const asked = (at: number) => ({ by: 'Ana', reason: 'a deploy', at });
const stuck: LockRow = {
  ...row,
  status: 'stuck',
  stuck: { kind: 'longHold', since: now, limitMs: 200_000, p99Ms: 40_000 },
};
const alive = { state: 'alive', kind: 'host', witness: 'w', evidence: 'runs' } as const;
const remark = { by: 'Ana', reason: 'a repair', at: now };
const runners = [waiter('runner-2'), waiter('runner-1')];
const impatient = runners.map((each) => ({ ...each, patienceUntil: now + 60_000 }));

type Case = Partial<Omit<ActFacts, 'row'>> & { row: LockRow };
const plain = (text: string) => text.replaceAll(/[\u202f\u00a0]/g, ' ');
function recommended({ row: of, ...part }: Case, at: VerdictView = view) {
  const waiters = part.waiters ?? [];
  const lock = { ...of, waiters: waiters.length || of.waiters };
  const facts = { hold: lock.hold, policy: DEFAULT_POLICY, isClosed: false, ...part, waiters };
  return recommendedAct({ ...facts, row: { ...lock, hold: facts.hold } }, at);
}

describe('no act is recommended where nothing is wrong', () => {
  test.each<[string, Case]>([
    ['held for long without a caller that wants it', { row }],
    [
      'held for long, and only callers that hold it by now were refused',
      { row: { ...row, refused: { attempts: 3, owners: 1, areMore: false, lastAt: now - 9_000 } } },
    ],
    ['contended within its usual time', { row: { ...row, ownHold: null }, waiters: runners }],
    ['free', { row: { ...row, status: 'free', hold: null } }],
    ['never used', { row: { ...row, status: 'free', hold: null, rev: 0 } }],
    ['delayed', { row: { ...row, status: 'delayed', hold: null }, waiters: runners }],
    ['expired', { row: { ...row, status: 'expired', hold: null } }],
    ['frozen without waiters', { row: { ...row, status: 'frozen', frozen: remark } }],
    [
      'kept after its release',
      { row: { ...row, status: 'contended' }, hold: { ...hold, releasedAt: now - 1 } },
    ],
  ])('%s', (_, facts) => {
    expect(recommended(facts)).toBeNull();
  });
});

describe('the gentlest act that helps is recommended, with what else it affects', () => {
  test.each<[string, Case, string, string, string]>([
    [
      'its process is dead',
      { row: { ...row, status: 'orphaned', orphaned }, hold: longLease, waiters: impatient },
      'release',
      'Force release, and grant to runner-2',
      'Nothing to interrupt: its process is dead. 1 still waiting. If you wait, both waiters ' +
        'time out before the lease expires.',
    ],
    [
      'its process is dead, and holds more',
      {
        row: { ...row, status: 'orphaned', orphaned },
        hold: { ...longLease, alsoHolds: 2, set: { id: 's', size: 2 } },
        policy: { ...DEFAULT_POLICY, lockDelayMs: 5_000 },
      },
      'release',
      'Force release',
      'Nothing to interrupt: its process is dead. No waiters: it becomes free. No grants for ' +
        '5 s (lock delay). The other lock of its request stays held. Its process holds 2 other ' +
        'locks.',
    ],
    [
      'its process is dead, others share the lock',
      {
        row: { ...row, status: 'orphaned', orphaned, holders: 3 },
        hold: longLease,
        waiters: runners,
      },
      'release',
      'Force release',
      'Nothing to interrupt: its process is dead. Other holders keep the lock.',
    ],
    [
      'another process is dead, this one is not, was asked and goes on',
      {
        row: { ...row, status: 'orphaned', orphaned: { ...orphaned, token: 8 }, holders: 2 },
        hold: { ...hold, askedToRelease: asked(now - 40_000), expiresAt: now + 1_980_000 },
        waiters: runners,
      },
      'release',
      'Force release',
      'The holder is not stopped; only resources that check its token reject it. ' +
        'Other holders keep the lock.',
    ],
    [
      'its process is dead, with permits',
      {
        row: {
          ...row,
          status: 'orphaned',
          orphaned,
          holders: 3,
          permits: { inUse: 9, capacity: 10 },
        },
        hold: { ...longLease, mode: 'permit', permits: 3 },
        waiters: [waiter('runner-2', { mode: 'permit', permits: 4 })],
      },
      'release',
      'Force release, and grant to runner-2',
      'Nothing to interrupt: its process is dead. If you wait, the waiter times out before the ' +
        'lease expires.',
    ],
    [
      'its process is dead, and readers wait that share the lock',
      {
        row: { ...row, status: 'orphaned', orphaned },
        hold: longLease,
        waiters: [
          ...['r1', 'r2', 'r3'].map((owner) => waiter(owner, { mode: 'shared' })),
          waiter('runner-1'),
        ],
      },
      'release',
      'Force release, and grant to r1 and 2 others',
      'Nothing to interrupt: its process is dead. 1 still waiting. If you wait, all 4 waiters ' +
        'time out before the lease expires.',
    ],
    [
      'its process is dead, and callers wait for permits',
      {
        row: { ...row, status: 'orphaned', orphaned, permits: { inUse: 0, capacity: 5 } },
        hold: longLease,
        waiters: ['p1', 'p2', 'p3'].map((owner) => waiter(owner, { mode: 'permit', permits: 2 })),
      },
      'release',
      'Force release, and grant to p1 and 1 other',
      'Nothing to interrupt: its process is dead. 1 still waiting. If you wait, all 3 waiters ' +
        'time out before the lease expires.',
    ],
    [
      'its process is dead, and the lease nearly over',
      { row: { ...row, status: 'orphaned', orphaned }, hold: { ...hold, expiresAt: now + 5_000 } },
      'wait',
      'Wait: it frees in 5 s',
      'Its process is dead. Nothing else is affected.',
    ],
    [
      'stuck and alive',
      { row: stuck, waiters: runners },
      'ask',
      'Ask to release',
      'Sent with its next renewal; nothing is interrupted, and the holder may ignore it.',
    ],
    [
      'held beyond its usual time with waiters',
      { row: { ...row, status: 'contended' }, waiters: runners },
      'ask',
      'Ask to release',
      'Sent with its next renewal; nothing is interrupted, and the holder may ignore it.',
    ],
    [
      'asked a moment ago',
      { row: stuck, hold: { ...hold, askedToRelease: asked(now - 2_000) } },
      'wait',
      'Wait for its next renewal',
      'Ana asked it to release; the request is not yet delivered.',
    ],
    [
      'asked, and the request arrived',
      { row: stuck, hold: { ...hold, askedToRelease: asked(now - 9_000) } },
      'wait',
      'Give the holder a moment',
      'Ana asked it to release; the request was delivered.',
    ],
    [
      'asked in vain',
      { row: stuck, hold: { ...hold, askedToRelease: asked(now - 120_000) } },
      'block',
      'Block its renewals',
      'The holder was asked, but keeps renewing. With renewals blocked, the lock frees in 26 s; ' +
        'the holder finds out at its next renewal.',
    ],
    [
      'asked in vain, with a long lease',
      {
        row: stuck,
        hold: {
          ...hold,
          leaseMs: 3_600_000,
          expiresAt: now + 3_000_000,
          askedToRelease: asked(now - 120_000),
        },
        waiters: runners,
      },
      'release',
      'Force release, and grant to runner-2',
      'The holder is not stopped; only resources that check its token reject it. 1 still waiting.',
    ],
    [
      'renewals blocked',
      { row: stuck, hold: { ...hold, renewalsStopped: asked(now - 5_000) } },
      'wait',
      'Wait: it frees in 26 s',
      'Renewals are blocked. Nothing else is affected.',
    ],
    [
      'not renewed any more, with a long lease',
      { row: stuck, hold: longLease, waiters: impatient.slice(0, 1) },
      'release',
      'Force release, and grant to runner-2',
      'The holder is not stopped; only resources that check its token reject it. If you wait, ' +
        'the waiter times out before the lease expires.',
    ],
    [
      'expiring, not known to be alive',
      { row: { ...row, status: 'expiring' }, hold: { ...hold, renewedAt: now - 40_000 } },
      'wait',
      'Wait: it frees in 26 s',
      'Unless the holder still renews it. Nothing else is affected.',
    ],
    [
      'expiring, known to be alive',
      {
        row: { ...row, status: 'expiring' },
        hold: { ...hold, renewedAt: now - 40_000, liveness: { ...alive, since: null, at: now } },
        waiters: runners,
      },
      'extend',
      'Extend the lease',
      'Its process is alive but renews late; this gives it time. Delays 2 waiters.',
    ],
    [
      'in a deadlock',
      {
        row: { ...row, status: 'contended' },
        waiters: runners,
        waitPart: { inDeadlock: true, holderWaits: [] },
      },
      'release',
      'Force release, and grant to runner-2',
      'A deadlock does not end by itself. The holder is not stopped; only resources that check ' +
        'its token reject it. 1 still waiting.',
    ],
    [
      'held up by what its holder waits for',
      {
        row: stuck,
        waiters: runners,
        waitPart: {
          inDeadlock: false,
          holderWaits: [
            {
              owner: 'billing-7f9c',
              namespace: 'money',
              name: 'ledger',
              heldBy: 'books-1',
              isConcurrent: false,
            },
          ],
        },
      },
      'look',
      'Look at ledger first',
      'The holder is waiting for that lock, held by books-1. To release this one would only ' +
        'interrupt its work.',
    ],
    [
      'frozen with waiters',
      { row: { ...row, status: 'frozen', frozen: remark }, waiters: runners },
      'unfreeze',
      'Unfreeze, if the reason no longer applies',
      'Frozen by Ana. 2 callers are waiting; grants resume in the order of the queue.',
    ],
    [
      'its backend is closed',
      {
        row: { ...row, status: 'orphaned', orphaned },
        hold: longLease,
        waiters: runners,
        isClosed: true,
      },
      'release',
      'Force release',
      'Nothing to interrupt: its process is dead. No grant: backend is not granting locks.',
    ],
    [
      'held for longer than usual while callers are refused',
      {
        row: {
          ...row,
          refused: { attempts: 3, owners: 1, areMore: false, lastAt: now - 9_000 },
          blocked: { callers: 1, sinceSum: now - 20_000 },
        },
      },
      'ask',
      'Ask to release',
      'Sent with its next renewal; nothing is interrupted, and the holder may ignore it.',
    ],
    [
      'unknown',
      { row: { ...row, status: 'unknown' } },
      'wait',
      'Restore backend mysql-core',
      'No action is possible until it responds. Leases keep counting down meanwhile.',
    ],
    [
      'unreadable',
      { row: { ...row, status: 'unknown', unreadable: 'It is no JSON.' } },
      'wait',
      'Repair the record',
      'No action is possible on a record that cannot be read.',
    ],
  ])('%s', (_, facts, verb, title, effect) => {
    const act = recommended(facts);
    expect({ ...act, title: plain(act?.title ?? ''), effect: plain(act?.effect ?? '') }).toEqual({
      verb,
      title,
      effect,
      ...(verb === 'look' && { lock: { namespace: 'money', name: 'ledger' } }),
    });
  });
});

test('renewals that are not known since the last reading are not missed', () => {
  const atReading: Case[] = [
    { row: stuck, waiters: runners },
    { row: stuck, hold: { ...hold, askedToRelease: asked(now - 20_000) } },
    { row: { ...row, hold: { ...hold, grantedAt: now - 39_000 } }, waiters: runners },
  ];
  for (const facts of atReading) {
    const act = recommended(facts);
    for (const laterMs of [11_500, 27_000]) {
      expect(recommended(facts, { ...view, now: now + laterMs, readAt: now })).toEqual(act);
    }
    expect(recommended(facts, { ...view, now: now + 11_500 })).not.toEqual(act);
  }
});

test('a recommendation counts down between two readings', () => {
  const blocked = { row: stuck, hold: { ...hold, renewalsStopped: asked(now - 5_000) } };
  const act = recommended(blocked, { ...view, now: now + 1_000, readAt: now });
  expect(plain(act?.title ?? '')).toBe('Wait: it frees in 25 s');
});

test('a backend that responds, but rejects requests, is not waited for to respond', () => {
  const restore = {
    title: 'Restore backend mysql-core',
    effect: 'No action is possible until it accepts requests. Leases keep counting down meanwhile.',
  };
  const refusal = { outage: 'rejecting requests' as const, reason: 'Redis is full.' };
  const rejecting = { ...view, refusal };
  expect(recommended({ row: { ...row, status: 'unknown' } }, rejecting)).toMatchObject(restore);
  // It may still be read, as a full Redis can.
  expect(recommended({ row: stuck }, rejecting)).toMatchObject(restore);
  const disabled = { ...refusal, outage: 'disabled on this server' as const };
  const act = recommended({ row: stuck }, { ...view, refusal: disabled });
  expect(act?.effect).toContain('until it is enabled on this server.');
});
