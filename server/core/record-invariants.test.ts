import { describe, expect, it } from 'vitest';
import { decideCounter } from './counter/decide-counter';
import { decide } from './lock/decide';
import { type LockRecord, unwrittenRecord } from './lock/lock-record';
import { BrokenInvariant, checkCounterRecord, checkLockRecord } from './record-invariants';
import { add, counterAt } from './testing/counter-requests';
import { acquire, release } from './testing/lock-requests';
import { LockWorld, START_AT } from './testing/lock-world';

/** A lock that three callers share, and for which a writer and a reader wait. */
function sharedAndWaitedFor(): LockRecord {
  const world = new LockWorld();
  for (const owner of ['r1', 'r2', 'r3']) world.run(acquire(`orders/${owner}`, { mode: 'shared' }));
  world.run(acquire('orders/writer', { waitMs: 60_000 }));
  world.run(acquire('orders/late', { waitMs: 60_000, mode: 'shared' }));
  if (!world.record) throw new Error('There is no record.');
  return world.record;
}

type Break = (next: LockRecord) => Partial<LockRecord>;

/** What is wrong with a record, and how it is made from a sound one. */
const breaks: [invariant: string, Break][] = [
  ['a rev rises by one', ({ rev }) => ({ rev: rev + 1 })],
  ['a rev rises by one', ({ rev }) => ({ rev: rev - 1 })],
  ['tokens rise', ({ lastToken }) => ({ lastToken: lastToken - 1 })],
  ['tokens rise', () => ({ lastToken: Number.NaN })],
  ['tickets rise', ({ lastTicket }) => ({ lastTicket: lastTicket - 1 })],
  ['tokens rise along the holds', ({ holds }) => ({ holds: holds.toReversed() })],
  ['tokens rise along the holds', ({ holds }) => ({ holds: [...holds, ...holds.slice(-1)] })],
  [
    'tokens rise along the holds',
    ({ holds, lastToken }) => ({ holds: holds.map((hold) => ({ ...hold, token: lastToken + 1 })) }),
  ],
  [
    'an exclusive hold is alone',
    ({ holds }) => ({ holds: holds.map((hold) => ({ ...hold, mode: 'exclusive' as const })) }),
  ],
  [
    'a hold was entered once or more',
    ({ holds }) => ({ holds: holds.map((hold) => ({ ...hold, count: 0 })) }),
  ],
  [
    'a new hold has a new token',
    ({ holds, lastToken }) => ({
      holds: holds.slice(0, 1).map((hold) => ({ ...hold, token: hold.token - 1 })),
      lastToken,
    }),
  ],
  ['tickets rise along the queue', ({ queue }) => ({ queue: queue.toReversed() })],
  [
    'a ticket is at most the last one',
    ({ queue, lastTicket }) => ({
      queue: queue.map((waiter, i) => ({ ...waiter, ticket: lastTicket + i })),
    }),
  ],
  [
    'a queue does not grow beyond its limit',
    ({ queue, lastTicket }) => ({
      queue: [...queue, ...queue.map((waiter) => ({ ...waiter, ticket: waiter.ticket + 2 }))],
      lastTicket: lastTicket + 2,
    }),
  ],
  ['an offer names a waiter', () => ({ offers: [{ ticket: 77, until: START_AT }] })],
  ['an exclusive offer is alone', () => ({ offers: [{ ticket: 1, until: START_AT }] })],
  [
    'departed waiters are bounded',
    () => {
      const one = { tag: 'a', enqueuedAt: 1, patienceMs: 1, until: 1 };
      return { departed: Array.from({ length: 201 }, () => one) };
    },
  ],
  [
    'only a granted hold ends',
    ({ lastToken }) => {
      const facts = { service: 'orders', owner: 'w1', grantedAt: 1, at: 1 };
      return { ended: { token: lastToken + 1, cause: 'released' as const, ...facts } };
    },
  ],
];

describe('a record that a decision would leave', () => {
  const before = sharedAndWaitedFor();
  const next = { ...before, rev: before.rev + 1 };
  const limit = 3;

  it.each(breaks)('is refused unless %s (%#)', (invariant, breakIt) => {
    const broken = () => checkLockRecord(before, { ...next, ...breakIt(next) }, limit);
    expect(broken).toThrow(BrokenInvariant);
    expect(broken).toThrow(expect.objectContaining({ reason: 'INTERNAL', invariant }));
  });

  it('passes if all of them hold, also with a queue above a limit that was lowered', () => {
    checkLockRecord(before, next, limit);
    checkLockRecord(before, { ...next, queue: next.queue.slice() }, 0);
    checkLockRecord(null, unwrittenRecord(START_AT), limit);
  });
});

describe('a decision on a record that was broken by hand', () => {
  it('is refused, unless it leaves a sound one', () => {
    const sound = sharedAndWaitedFor();
    const [first, ...others] = sound.holds;
    if (!first) return expect.unreachable();
    const broken = { ...sound, holds: [{ ...first, mode: 'exclusive' as const }, ...others] };
    const world = new LockWorld();
    world.record = broken;
    const letGo = (owner: string, token = 0) => release(`orders/${owner}`, token);
    const { token } = others[0] ?? {};
    expect(() => world.run(letGo('r2', token))).toThrow('an exclusive hold is alone');
    expect(world.record).toBe(broken);
    world.pass(60_000);
    world.run({ verb: 'settle' });
    expect(world.record.holds).toEqual([]);
  });

  it('of a counter is refused as long as the value is out of bounds', () => {
    const record = counterAt(11, { ceiling: 10 });
    const context = { now: START_AT, remembered: null };
    const setBounds = {
      verb: 'setBounds',
      seenBounds: { floor: null, ceiling: 10 },
      floor: null,
      ceiling: 20,
      party: { by: 'ana', reason: 'a repair' },
      request: { key: 'k', inputHash: '', remembered: false },
    } as const;
    expect(decideCounter(record, add(1), context).next).toBe(null);
    expect(decideCounter(record, setBounds, context).next).toMatchObject({ ceiling: 20 });
    const next = { ...record, rev: record.rev + 1 };
    const refusal = expect.objectContaining({ reason: 'INTERNAL' });
    expect(() => checkCounterRecord(record, next)).toThrow(refusal);
    expect(() => checkCounterRecord(record, { ...next, value: 9, rev: 3 })).toThrow(refusal);
  });

  it('says nothing of a decision that changes nothing', () => {
    const record = { ...sharedAndWaitedFor(), lastToken: 1 };
    const context = {
      now: START_AT,
      epoch: 1,
      process: 'p1',
      isAlive: () => true,
      callerOf: () => null,
      remembered: null,
      policy: { queueLimit: 3, lockDelayMs: 0 },
    };
    expect(decide(record, { verb: 'inspect' }, context).next).toBe(null);
  });
});
