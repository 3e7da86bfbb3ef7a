import { expect, test } from 'vitest';
import type { EventKind, LockEvent } from '../lock/lock-event';
import { unwrittenRecord } from '../lock/lock-record';
import { type PastWait, spanClass, spanReachMs, withoutMoved } from './event-span';
import { isPatienceKnown } from './is-patience-known';
import { openSince, recordAt } from './record-at';

const event = (kind: EventKind, at: number, more: Partial<LockEvent> = {}): LockEvent => ({
  kind,
  at,
  rev: at,
  service: 'orders',
  owner: 'w1',
  ...more,
});

const hold = { from: 1_000, to: 9_000, service: 'orders', owner: 'w1', token: 5 };
const bare = { waits: [], frozen: null, now: null, lockDelayMs: 0 };

test('a past hold has the lease, the renewals and the operator requests of that time', () => {
  const events = [
    event('granted', 1_000, { token: 5, expiresAt: 3_000, meta: { host: 'h' }, mode: 'shared' }),
    event('renewed', 2_000, { token: 5, expiresAt: 6_000 }),
    event('asked', 2_500, { token: 5, by: 'ada', reason: 'deploy' }),
    event('reentered', 2_600, { token: 5, expiresAt: 6_600, holdCount: 2 }),
  ];
  const { holds, rev } = recordAt({ ...bare, at: 2_700, holds: [hold], events });
  expect(rev).toBe(2_600);
  expect(holds).toMatchObject([
    {
      mode: 'shared',
      count: 2,
      renewals: 1,
      renewedAt: 2_000,
      leaseMs: 4_000,
      expiresAt: 6_600,
      meta: { host: 'h' },
      askedToRelease: { by: 'ada', reason: 'deploy', at: 2_500 },
    },
  ]);
});

test('the lease of a past hold that an operator extended is not the time until its end', () => {
  const granted = event('granted', 1_000, { token: 5, expiresAt: 31_000 });
  const extended = event('extended', 2_000, { token: 5, expiresAt: 631_000, by: 'ada' });
  const renewed = (at: number, expiresAt: number) => event('renewed', at, { token: 5, expiresAt });
  const leaseMs = (...renewals: LockEvent[]) => {
    const events = [granted, extended, ...renewals];
    const held = { ...hold, to: null };
    return recordAt({ ...bare, at: 650_000, holds: [held], events }).holds[0]?.leaseMs;
  };
  expect(leaseMs(renewed(11_000, 631_000))).toBe(30_000);
  expect(leaseMs(renewed(11_000, 631_000), renewed(621_000, 651_000))).toBe(30_000);
  expect(leaseMs(renewed(11_000, 631_000), renewed(621_000, 641_000))).toBe(20_000);
});

test('the renewals of a past hold are a lower bound if not every event is known', () => {
  const granted = event('granted', 1_000, { token: 5, rev: 10 });
  const renewed = (rev: number) => event('renewed', 1_000 + rev, { token: 5, rev });
  const queued = event('queued', 1_012, { owner: 'w2', rev: 12 });
  const isPartial = (events: LockEvent[]) =>
    recordAt({ ...bare, at: 2_000, holds: [hold], events }).holds[0]?.areRenewalsPartial ?? false;
  expect(isPartial([granted])).toBe(false);
  expect(isPartial([granted, renewed(11), queued, renewed(13)])).toBe(false);
  expect(isPartial([granted, renewed(12), renewed(13)])).toBe(true);
  expect(isPartial([renewed(11), renewed(12)])).toBe(true);
});

test('a hold is live at every instant that it covers, however little is known of it', () => {
  const [plain] = recordAt({ ...bare, at: 5_000, holds: [hold], events: [] }).holds;
  expect(plain).toMatchObject({ mode: 'exclusive', expiresAt: 9_000 });
  const open = { ...hold, to: null, permits: 2 };
  const [permit] = recordAt({ ...bare, at: 5_000, holds: [open], events: [] }).holds;
  expect(permit).toMatchObject({ mode: 'permit', permits: 2, expiresAt: 5_001 });
});

test('a lock whose last hold was lost says so, and is delayed as its namespace requires', () => {
  const events = [
    event('granted', 1_000, { token: 4, expiresAt: 2_000 }),
    event('expired', 2_000, { token: 4, heldMs: 1_000 }),
  ];
  const facts = { ...bare, at: 2_500, holds: [], events, lockDelayMs: 1_000 };
  expect(recordAt(facts)).toMatchObject({
    ended: { token: 4, cause: 'expired', grantedAt: 1_000, at: 2_000 },
    delayedUntil: 3_000,
  });
  expect(recordAt({ ...facts, at: 3_500 }).delayedUntil).toBe(0);
});

test('a lost hold delays a lock even while others keep permits; a grant ends the delay', () => {
  const events = [
    event('granted', 1_000, { token: 4, expiresAt: 2_000, mode: 'permit', permits: 1 }),
    event('granted', 1_100, { token: 5, expiresAt: 9_000, mode: 'permit', permits: 1 }),
    event('expired', 2_000, { token: 4, heldMs: 1_000 }),
    event('released', 2_100, { token: 3, heldMs: 1_500 }),
  ];
  const holds = [{ ...hold, permits: 1 }];
  const facts = { ...bare, at: 2_500, holds, events, lockDelayMs: 1_000 };
  expect(recordAt(facts).delayedUntil).toBe(3_000);
  const granted = event('granted', 2_200, { token: 6, expiresAt: 9_000, mode: 'permit' });
  expect(recordAt({ ...facts, events: [...events, granted] }).delayedUntil).toBe(0);
});

test('the end of a released hold that was kept causes no delay, forced or not', () => {
  const events = [
    event('granted', 1_000, { token: 4, expiresAt: 9_000 }),
    event('kept', 1_500, { token: 4, expiresAt: 6_000 }),
    event('forced', 2_000, { token: 4, heldMs: 1_000, by: 'ada', reason: 'stuck' }),
  ];
  const facts = { ...bare, at: 2_500, holds: [], events, lockDelayMs: 1_000 };
  expect(recordAt(facts).delayedUntil).toBe(0);
  const lost = event('expired', 2_100, { token: 5, heldMs: 50 });
  expect(recordAt({ ...facts, events: [...events, lost] }).delayedUntil).toBe(3_100);
});

test('past waiters are in the order in which they joined, each with its own timeout', () => {
  const wait = (owner: string, from: number): PastWait => {
    return { from, to: 9_000, service: 'orders', owner, end: 'granted' };
  };
  const events = [
    event('queued', 200, { owner: 'twice', patienceMs: 5_000 }),
    event('queued', 300, { owner: 'twice', patienceMs: 7_000 }),
    // A multi-lock that comes from the queue of another lock.
    event('queued', 400, { owner: 'moved', patienceMs: 6_000 }),
    event('queued', 500, { owner: 'last', patienceMs: 8_000 }),
  ];
  const waits = [wait('last', 500), wait('moved', 100), wait('twice', 300), wait('twice', 200)];
  const { queue } = recordAt({ ...bare, at: 600, holds: [hold], waits, events });
  expect(queue.map(({ owner, patienceMs, enqueuedAt }) => [owner, patienceMs, enqueuedAt])).toEqual(
    [
      ['twice', 5_000, 200],
      ['twice', 7_000, 300],
      ['moved', 6_000, 100],
      ['last', 8_000, 500],
    ],
  );
});

test('the timeout of a past waiter is unknown if it was not recorded', () => {
  const wait: PastWait = { from: 100, to: 9_000, service: 's', owner: 'o', end: 'granted' };
  const known = { ...wait, patienceMs: 5_000 };
  const { queue } = recordAt({ ...bare, at: 600, holds: [hold], waits: [known, wait], events: [] });
  expect(queue.map(({ patienceMs }) => isPatienceKnown(patienceMs))).toEqual([true, false]);
});

test('a waiter of the present record has not waited at an instant past its timeout', () => {
  const waiter = { service: 's', owner: 'o', mode: 'exclusive', process: 'p', tag: 't' } as const;
  const times = { ticket: 1, enqueuedAt: 1_000, patienceMs: 5_000, detachedUntil: null };
  const now = { ...unwrittenRecord(20_000), queue: [{ ...waiter, ...times }] };
  const counts = [999, 1_000, 5_999, 6_000].map((at) => openSince(now, at).waits.length);
  expect(counts).toEqual([0, 1, 1, 0]);
});

test('a multi-lock that moves between queues waits in one of them at a time', () => {
  const wait = (to: number, end: string): PastWait => {
    return { from: 100, to, service: 'orders', owner: 'w1', end };
  };
  const all = [
    { lock: 'c', wait: wait(900, 'granted') },
    { lock: 'a', wait: wait(300, 'moved') },
    { lock: 'b', wait: wait(500, 'moved') },
  ];
  expect(withoutMoved(all).map(({ lock }) => lock)).toEqual(['a']);
  expect(withoutMoved(all.slice(0, 1)).map(({ lock }) => lock)).toEqual(['c']);
});

test('every span is found at each instant that it covers, by the class of its length', () => {
  for (const heldMs of [1, 2, 3, 4, 1_000, 86_400_000, 2 ** 50]) {
    const of = spanClass(event('released', 2 ** 51, { heldMs }));
    expect(heldMs).toBeLessThan(spanReachMs(of));
  }
  expect(spanClass(event('released', 5_000, { heldMs: 0 }))).toBe(-1);
  expect(spanClass(event('renewed', 5_000, { waitedMs: 9 }))).toBe(-1);
});

test('a past capacity is known even if no permit is in use any more', () => {
  const permits = { mode: 'permit' as const, permits: 3 };
  const granted = event('granted', 1_000, { token: 5, capacity: 8, ...permits });
  const set = event('capacity', 3_000, { capacity: 2, owner: '', service: '' });
  const at = (instant: number, events: LockEvent[]) =>
    recordAt({ ...bare, at: instant, holds: [{ ...hold, permits: 3 }], events }).capacity;
  expect(at(2_000, [granted])?.inForce).toBe(8);
  expect(at(4_000, [granted, set])?.inForce).toBe(2);
  const who = { service: 'orders', owner: 'w2', permits: 1 };
  const waits: PastWait[] = [{ from: 500, to: 2_500, ...who, end: 'timeout' }];
  const queued = event('queued', 500, { ...who, capacity: 8, patienceMs: 2_000 });
  const waited = { ...bare, at: 900, holds: [], events: [queued] };
  expect(recordAt({ ...waited, waits }).capacity?.inForce).toBe(8);
  expect(recordAt(waited).capacity).toBe(null);
});

test('a past capacity is neither one set later nor one no longer in force', () => {
  const permits = { mode: 'permit' as const, permits: 3 };
  const granted = event('granted', 1_000, { token: 5, expiresAt: 9_000, ...permits });
  const set = (at: number) => event('capacity', at, { capacity: 2, owner: '', service: '' });
  const now = { ...unwrittenRecord(20_000), capacity: { inForce: 2, named: 8 } };
  const at = (instant: number, events: LockEvent[]) =>
    recordAt({ ...bare, at: instant, holds: [{ ...hold, permits: 3 }], events, now }).capacity;
  expect(at(2_000, [granted])).toEqual({ inForce: 8, named: 8 });
  expect(at(4_000, [granted, set(3_000)])?.inForce).toBe(2);
  const gone = event('released', 700, { token: 4, heldMs: 600, permits: 1 });
  expect(at(2_000, [set(500), gone, granted])?.inForce).toBe(8);
  const lasting = event('released', 1_100, { token: 4, heldMs: 1_000, permits: 1 });
  expect(at(2_000, [set(500), granted, lasting])?.inForce).toBe(2);
});
