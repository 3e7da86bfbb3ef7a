import { describe, expect, it } from 'vitest';
import { decideCounter } from './counter/decide-counter';
import { decide } from './lock/decide';
import type { LockCommand } from './lock/lock-command';
import { type EndedHold, type LockRecord, unwrittenRecord, type Waiter } from './lock/lock-record';
import { BrokenInvariant, checkCounterRecord, checkLockRecord } from './record-invariants';
import { add, counterAt } from './testing/counter-requests';
import { acquire, forceRelease, freeze, release, renew } from './testing/lock-requests';
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

const endedAt = (token: number): EndedHold => {
  const facts = { service: 'orders', owner: 'w1', grantedAt: 1, at: 1 };
  return { token, cause: 'released', ...facts };
};

/** From 1 on. */
const tickets = (count: number) => Array.from({ length: count }, (_, i) => i + 1);
const withTicket = (waiter: Waiter, ticket: number): Waiter => ({ ...waiter, ticket });

type Break = (next: LockRecord) => Partial<LockRecord>;

/** What is wrong with a record, and how it is made from a sound one. */
const breaks: [invariant: string, Break][] = [
  ['a rev rises by one', ({ rev }) => ({ rev: rev + 1 })],
  ['a rev rises by one', ({ rev }) => ({ rev: rev - 1 })],
  ['tokens rise', ({ lastToken }) => ({ lastToken: lastToken - 1 })],
  ['tokens rise', () => ({ lastToken: Number.NaN })],
  ['tickets rise', ({ lastTicket }) => ({ lastTicket: lastTicket - 1 })],
  ['tickets rise', () => ({ lastTicket: 2 ** 53 })],
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
    'a released hold ends when it is kept no longer',
    ({ holds }) => ({
      holds: holds.map((hold) => ({ ...hold, releasedAt: START_AT, keptUntil: START_AT + 1 })),
    }),
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
      queue: [
        ...queue,
        ...queue.slice(1).flatMap((waiter) => tickets(202).map((i) => withTicket(waiter, i + 2))),
      ],
      lastTicket: lastTicket + 202,
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
  ['only a granted hold ends', ({ lastToken }) => ({ ended: endedAt(lastToken + 1) })],
];

describe('the record that a decision produces', () => {
  const before = sharedAndWaitedFor();
  const next = { ...before, rev: before.rev + 1 };
  const limit = 3;

  it.each(breaks)('is refused unless %s (%#)', (invariant, breakIt) => {
    const broken = () => checkLockRecord(before, { ...next, ...breakIt(next) }, limit);
    expect(broken).toThrow(BrokenInvariant);
    expect(broken).toThrow(expect.objectContaining({ reason: 'INTERNAL', invariant }));
  });

  it('passes if all invariants hold, even with a queue above a limit that was lowered', () => {
    checkLockRecord(before, next, limit);
    checkLockRecord(before, { ...next, queue: next.queue.slice() }, 0);
    checkLockRecord(null, unwrittenRecord(START_AT), limit);
  });
});

describe('a decision on a record that was broken by hand', () => {
  const sound = sharedAndWaitedFor();
  const held = new LockWorld();
  held.run(acquire('orders/r1'));
  const exclusive = held.record ?? sound;
  const [hold] = exclusive.holds;
  if (!hold) throw new Error('There is no hold.');
  const ghost = { ticket: 77, until: START_AT };
  const one = { tag: 'a', enqueuedAt: 1, patienceMs: 1, until: START_AT * 2 };
  const damages: [damage: string, record: LockRecord][] = [
    ['an offer that names no waiter', { ...sound, offers: [ghost] }],
    ['such an offer beside an exclusive hold', { ...exclusive, offers: [ghost] }],
    ['an exclusive offer beside holds', { ...sound, offers: [{ ticket: 1, until: START_AT }] }],
    [
      'an exclusive hold beside others',
      {
        ...sound,
        holds: sound.holds.map((shared, i) => (i ? shared : { ...shared, mode: 'exclusive' })),
      },
    ],
    ['holds in the wrong order', { ...sound, holds: sound.holds.toReversed() }],
    ['a token above the last one', { ...exclusive, lastToken: hold.token - 1 }],
    ['a hold that was never entered', { ...exclusive, holds: [{ ...hold, count: 0 }] }],
    ['a hold entered too often', { ...exclusive, holds: [{ ...hold, count: 2_000 }] }],
    ['a queue in the wrong order', { ...sound, queue: sound.queue.toReversed() }],
    ['tickets above the last one', { ...sound, lastTicket: 0 }],
    ['too many departed waiters', { ...sound, departed: Array.from({ length: 300 }, () => one) }],
    [
      'too many shared holds',
      {
        ...sound,
        lastToken: sound.lastToken + 300,
        holds: [
          ...sound.holds,
          ...Array.from({ length: 300 }, (_, i) => ({
            ...hold,
            mode: 'shared' as const,
            token: sound.lastToken + 1 + i,
          })),
        ],
      },
    ],
  ];
  const worldOf = (record: LockRecord) => {
    const world = new LockWorld();
    world.record = record;
    const token = record.holds.find(({ owner }) => owner === 'r1')?.token ?? 0;
    return { world, token };
  };

  it.each(damages)('is made in spite of %s: renew, release, end and freeze work', (_, record) => {
    const acts: [(token: number) => LockCommand, outcome: unknown][] = [
      [(token) => renew('orders/r1', token), 'renewed'],
      [(token) => release('orders/r1', token), expect.stringMatching(/released|decremented/)],
      [(token) => forceRelease(token), 'forced'],
      [() => freeze(), 'frozen'],
    ];
    for (const [act, outcome] of acts) {
      const { world, token } = worldOf(record);
      expect(world.run(act(token))).toMatchObject({ outcome });
    }
    const { world } = worldOf(record);
    world.pass(60_000);
    world.run({ verb: 'expireAndPromote' });
    expect(world.record?.holds).toEqual([]);
  });

  it('frees a lock of an offer that names no waiter', () => {
    const world = new LockWorld();
    world.record = { ...exclusive, holds: [], offers: [ghost, { ...ghost, ticket: 78 }] };
    expect(world.run(acquire('orders/r2'))).toMatchObject({ outcome: 'granted' });
    expect(world.record.offers).toEqual([]);
  });

  it('gives a waiter a ticket above all others where the last one was set back', () => {
    const world = new LockWorld();
    world.record = { ...sound, lastTicket: -7 };
    const answer = world.run(acquire('orders/w1', { waitMs: 60_000 }), 'p2');
    expect(answer).toMatchObject({ outcome: 'queued', ticket: 3, place: 3 });
  });

  it('accepts no waiter if the last ticket is the highest possible, and keeps working', () => {
    const world = new LockWorld();
    world.record = { ...exclusive, lastTicket: Number.MAX_SAFE_INTEGER };
    const refused = expect.objectContaining({ reason: 'UNSUPPORTED' });
    expect(() => world.run(acquire('orders/w1', { waitMs: 60_000 }))).toThrow(refused);
    expect(world.run(release('orders/r1', hold.token))).toEqual({ outcome: 'released' });
    expect(world.run(acquire('orders/w1', { waitMs: 60_000 }))).toMatchObject({
      outcome: 'granted',
    });
  });

  const worse: [invariant: string, was: Partial<LockRecord>, next: Partial<LockRecord>][] = [
    ['an offer names a waiter', { offers: [ghost] }, { offers: [ghost, { ...ghost, ticket: 78 }] }],
    [
      'an exclusive hold is alone',
      { holds: sound.holds.map((shared) => ({ ...shared, mode: 'exclusive' })) },
      {
        holds: [...sound.holds, { ...hold, token: sound.lastToken + 1 }],
        lastToken: sound.lastToken + 1,
      },
    ],
    [
      'a hold was entered once or more',
      { holds: [{ ...hold, count: 2_000 }], lastToken: hold.token },
      { holds: [{ ...hold, count: 2_001 }] },
    ],
    [
      'tickets rise along the queue',
      { queue: sound.queue.toReversed() },
      { queue: [...sound.queue.toReversed(), ...sound.queue.slice(0, 1)] },
    ],
    [
      'a new hold has a new token',
      { holds: [], lastToken: hold.token - 2, ended: endedAt(hold.token) },
      { holds: [{ ...hold, token: hold.token - 1 }], lastToken: hold.token - 1 },
    ],
    [
      'an exclusive offer is alone',
      { offers: [{ ticket: 1, until: START_AT }] },
      { offers: [1, 2].map((ticket) => ({ ticket, until: START_AT })) },
    ],
  ];

  it.each(worse)('is refused if it damages the record further: %s', (invariant, before, after) => {
    const was = { ...sound, ...before };
    const next = { ...was, ...after, rev: was.rev + 1 };
    expect(() => checkLockRecord(was, next, 200)).toThrow(expect.objectContaining({ invariant }));
  });

  it('is refused if it breaks another invariant', () => {
    const was = { ...sound, offers: [{ ...ghost, ticket: 99 }] };
    for (const [invariant, breakIt] of breaks) {
      const next = { ...was, rev: was.rev + 1 };
      const broken = { ...next, ...breakIt(next) };
      expect(() => checkLockRecord(was, broken, 3)).toThrow(expect.objectContaining({ invariant }));
    }
  });

  it('of a counter is refused as long as the value is out of bounds', () => {
    const record = counterAt(11, { ceiling: 10 });
    const context = { now: START_AT, storedAnswer: null };
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

  it('is not checked if it changes nothing', () => {
    const record = { ...sharedAndWaitedFor(), lastToken: 1 };
    const context = {
      now: START_AT,
      epoch: 1,
      process: 'p1',
      isAlive: () => true,
      callerOf: () => null,
      storedAnswer: null,
      policy: { queueLimit: 3, lockDelayMs: 0 },
    };
    expect(decide(record, { verb: 'inspect' }, context).next).toBe(null);
  });
});
