import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { PROPERTY_MS, RUNS } from '../testing/property-runs';
import { findDeadlocks } from './find-deadlocks';
import { linkedLocks } from './linked-locks';
import { type LockParts, contendedLock as lock, NOW } from './testing/contended-lock';
import { type ContendedLock, readWaits } from './wait-state';

/** The owners of each deadlock; the same whether all locks are looked at or linked ones alone. */
function found(...locks: ContendedLock[]): string[][] {
  const among = (some: ContendedLock[]) =>
    findDeadlocks(readWaits(some)).map(({ members }) => members.map(({ owner }) => owner));
  const all = among(locks);
  expect(among(linkedLocks(locks))).toEqual(all);
  return all;
}

const held = (owner: string, by: string[], more: Partial<LockParts> = {}): LockParts => ({
  holds: [{ owner }],
  queue: by.map((waiter) => ({ owner: waiter })),
  ...more,
});

describe('a deadlock is found', () => {
  test('between two owners, across backends whose clocks differ', () => {
    const other = { backend: 'redis', offsetMs: 90_000 };
    const locks = [lock('a', held('p', ['q'])), lock('b', held('q', ['p'], other))];
    expect(found(...locks)).toEqual([['p', 'q']]);
  });

  test('with its steps: who waits for which lock, and whose hold blocks it', () => {
    const state = readWaits([
      lock('a', held('p', ['r'])),
      lock('b', held('q', ['p'])),
      lock('c', held('r', ['x', 'q'])),
    ]);
    const [deadlock] = findDeadlocks(state);
    const steps = deadlock?.steps.map(({ wait, blockedBy }) => [
      wait.party.owner,
      wait.lock.id,
      blockedBy.party.owner,
    ]);
    expect(steps).toEqual([
      ['p', 'default/b', 'q'],
      ['q', 'default/c', 'r'],
      ['r', 'default/a', 'p'],
    ]);
  });

  test('once each, if there are several', () => {
    const locks = [
      lock('a', held('p', ['q'])),
      lock('b', held('q', ['p'])),
      lock('c', held('v', ['w'])),
      lock('d', held('w', ['v'])),
    ];
    expect(found(...locks)).toEqual([
      ['p', 'q'],
      ['v', 'w'],
    ]);
  });

  test('through the queue: a reader behind a writer waits for the readers ahead of both', () => {
    const readers: LockParts = {
      holds: [{ owner: 'p', mode: 'shared' }],
      queue: [{ owner: 'writer' }, { owner: 'q', mode: 'shared' }],
    };
    expect(found(lock('a', readers), lock('b', held('q', ['p'])))).toEqual([['p', 'q']]);
  });

  test('among permits, if too few are left without those of its members', () => {
    const pool = (free: string): LockParts => ({
      capacity: 4,
      holds: [
        { owner: 'p', mode: 'permit', permits: 2 },
        { owner: free, mode: 'permit', permits: 1 },
      ],
      queue: [{ owner: 'q', mode: 'permit', permits: 3 }],
    });
    expect(found(lock('a', pool('x')), lock('b', held('q', ['p'])))).toEqual([['p', 'q']]);
  });
});

describe('no deadlock is reported', () => {
  test('for a chain of any length', () => {
    const names = Array.from({ length: 500 }, (_, i) => `p${i}`);
    const chain = names.slice(1).map((owner, i) => lock(owner, held(names[i] as string, [owner])));
    expect(found(...chain)).toEqual([]);
  });

  test('among permits, if an owner that is not blocked would release enough', () => {
    const pool: LockParts = {
      capacity: 4,
      holds: [
        { owner: 'p', mode: 'permit', permits: 1 },
        { owner: 'x', mode: 'permit', permits: 3 },
      ],
      queue: [{ owner: 'q', mode: 'permit', permits: 3 }],
    };
    expect(found(lock('a', pool), lock('b', held('q', ['p'])))).toEqual([]);
  });

  test('for readers that share a lock', () => {
    const shared: LockParts = {
      holds: [{ owner: 'p', mode: 'shared' }],
      queue: [{ owner: 'q', mode: 'shared' }, { owner: 'writer' }],
    };
    expect(found(lock('a', shared), lock('b', held('q', ['p'])))).toEqual([]);
  });

  test('for owners that wait behind one', () => {
    const locks = [
      lock('a', held('p', ['q', 'late'])),
      lock('b', held('q', ['p'])),
      lock('c', held('late', ['later'])),
    ];
    expect(found(...locks)).toEqual([['p', 'q']]);
  });

  const cases: [string, LockParts, LockParts][] = [
    ['waits for a lock that it holds itself', held('p', ['q', 'p']), held('q', ['p'])],
    [
      'was granted a lock while it waited',
      { holds: [{ owner: 'p', agoMs: 10 }], queue: [{ owner: 'q' }] },
      held('q', ['p']),
    ],
    [
      'has released its lock, which is held a while longer',
      { holds: [{ owner: 'p', ends: { releasedAt: NOW } }], queue: [{ owner: 'q' }] },
      held('q', ['p']),
    ],
    [
      'has let its lease expire',
      { holds: [{ owner: 'p', ends: { expiresAt: NOW } }], queue: [{ owner: 'q' }] },
      held('q', ['p']),
    ],
    [
      'has timed out',
      held('p', ['q']),
      { holds: [{ owner: 'q' }], queue: [{ owner: 'p', over: { patienceMs: 30_000 } }] },
    ],
    [
      'has left between two requests',
      held('p', ['q']),
      { holds: [{ owner: 'q' }], queue: [{ owner: 'p', over: { detachedUntil: NOW } }] },
    ],
  ];
  test.each(cases)('if an owner %s', (_, a, b) => {
    expect(found(lock('a', a), lock('b', b))).toEqual([]);
  });

  test('if two processes use one name', () => {
    const both: LockParts = {
      holds: ['1', '2'].map((pid) => ({ owner: 'p', mode: 'shared', meta: { host: 'h', pid } })),
      queue: [{ owner: 'q' }],
    };
    expect(found(lock('a', both), lock('b', held('q', ['p'])))).toEqual([]);
  });
});

const kinds = fc.constantFrom('exclusive', 'shared', 'permit');
/**
 * Of one lock: its mode, how many hold it, and which of the owners take part, with their demand.
 */
const lockShape = fc.record({
  mode: kinds,
  holders: fc.integer({ min: 1, max: 4 }),
  parts: fc.array(
    fc.record({ rank: fc.nat(19), isOther: fc.boolean(), permits: fc.integer({ min: 1, max: 3 }) }),
    {
      minLength: 2,
      maxLength: 8,
    },
  ),
});
const mix = fc.array(lockShape, { minLength: 1, maxLength: 12 });
type Shape = typeof lockShape extends fc.Arbitrary<infer S> ? S : never;

/**
 * Locks on which each owner waits only for owners of a lower rank, and for one lock at a time: they
 * can all go on, the lowest first.
 */
function acyclic(shapes: Shape[]): ContendedLock[] {
  const waits = new Set<number>();
  return shapes.flatMap(({ mode, holders, parts }, i) => {
    const ranked = [...new Map(parts.map((part) => [part.rank, part])).values()];
    ranked.sort((a, b) => a.rank - b.rank);
    const count = mode === 'exclusive' ? 1 : holders;
    const own = ({ rank, permits }: (typeof ranked)[number]) => ({
      owner: `p${rank}`,
      mode,
      ...(mode === 'permit' ? { permits } : {}),
    });
    const holds = ranked.slice(0, count).map(own);
    const queue = ranked.slice(count).flatMap((part) => {
      if (waits.has(part.rank)) return [];
      waits.add(part.rank);
      return part.isOther ? [{ owner: `p${part.rank}` }] : [own(part)];
    });
    const taken = holds.reduce((sum, hold) => sum + (('permits' in hold && hold.permits) || 0), 0);
    const capacity = Math.max(3, taken);
    return queue.length === 0 ? [] : [lock(`l${i}`, { holds, queue, capacity })];
  });
}

it(
  'no deadlock is reported in 1,000 mixes without a cycle',
  () => {
    fc.assert(
      fc.property(mix, (shapes) => {
        expect(found(...acyclic(shapes))).toEqual([]);
      }),
      RUNS,
    );
  },
  PROPERTY_MS,
);

it(
  'every cycle added to such a mix is found, with exactly its owners',
  () => {
    const links = fc.array(kinds, { minLength: 2, maxLength: 6 });
    fc.assert(
      fc.property(mix, links, fc.boolean(), (shapes, modes, isBehind) => {
        const owners = modes.map((_, i) => `c${i}`);
        const ring = modes.map((mode, i) => {
          const permits = mode === 'permit' ? { permits: 2 } : {};
          const next = { owner: `c${(i + 1) % modes.length}`, mode, ...permits };
          // A shared hold is only waited for by a writer, or behind one.
          const between = mode === 'shared' ? [{ owner: `w${i}` }] : [];
          const queue = [...between, next, ...(isBehind ? [{ owner: 'p19', over: LEFT }] : [])];
          return lock(`ring${i}`, {
            holds: [{ owner: `c${i}`, mode, ...permits }],
            queue,
            capacity: 3,
          });
        });
        expect(found(...acyclic(shapes), ...ring)).toEqual([owners]);
      }),
      RUNS,
    );
  },
  PROPERTY_MS,
);

/** A waiter that has left. */
const LEFT = { detachedUntil: NOW };
