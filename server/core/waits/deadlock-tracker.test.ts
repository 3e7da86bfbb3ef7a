import { beforeEach, describe, expect, test } from 'vitest';
import type { EndedHold } from '../lock/lock-record';
import { DeadlockTracker } from './deadlock-tracker';
import { findDeadlocks } from './find-deadlocks';
import { contendedLock, type LockParts } from './testing/contended-lock';
import { type ContendedLock, readWaits } from './wait-state';

const P_WAITS_FOR_Q: LockParts = { holds: [{ owner: 'q' }], queue: [{ owner: 'p' }] };
const Q_WAITS_FOR_P: LockParts = { holds: [{ owner: 'p' }], queue: [{ owner: 'q' }] };

let tracker: DeadlockTracker;
beforeEach(() => {
  tracker = new DeadlockTracker();
});

/** One look at these locks, each known to be as it was read until `readAt`. */
function look(
  locks: ContendedLock[],
  readAt: Record<string, number>,
  silent: string[] = [],
  now = 500,
) {
  const state = readWaits(locks.filter(({ id }) => !silent.includes(id)));
  return tracker.follow({
    state,
    deadlocks: findDeadlocks(state),
    now,
    readAt: ({ id }) => readAt[id] ?? 0,
    isSilent: (id) => silent.includes(id),
  });
}

const cycle = () => [contendedLock('a', Q_WAITS_FOR_P), contendedLock('b', P_WAITS_FOR_Q)];
const [A, B] = ['default/a', 'default/b'] as const;

/** A lock whose hold has ended so. */
function endedHold(ended: Partial<EndedHold>, queue: LockParts['queue'] = []): ContendedLock {
  const lock = contendedLock('a', { holds: [], queue });
  const end = {
    token: 1,
    service: 's',
    owner: 'p',
    cause: 'released',
    grantedAt: 0,
    at: 0,
  } as const;
  return { ...lock, record: { ...lock.record, ended: { ...end, ...ended } } };
}

describe('a cycle is a deadlock', () => {
  test('at once, if all of its locks are known for one instant', () => {
    expect(look(cycle(), { [A]: 10, [B]: 10 }).found).toHaveLength(1);
    expect(tracker.current).toHaveLength(1);
  });

  test('only once each lock was read again: the waits may never have existed together', () => {
    expect(look(cycle(), { [A]: 10, [B]: 20 }).found).toEqual([]);
    expect(look(cycle(), { [A]: 19, [B]: 30 }).found).toEqual([]);
    expect(look(cycle(), { [A]: 20, [B]: 30 }).found).toHaveLength(1);
    expect(look(cycle(), { [A]: 40, [B]: 40 }).found, 'found twice').toEqual([]);
  });

  test('not if one of its waits was over when its lock was read again', () => {
    expect(look(cycle(), { [A]: 10, [B]: 20 }).found).toEqual([]);
    const [a, b] = cycle() as [ContendedLock, ContendedLock];
    expect(look([a], { [A]: 30 }).found).toEqual([]);
    const later = { ...b.record, queue: b.record.queue.map((one) => ({ ...one, ticket: 7 })) };
    expect(look([a, { ...b, record: later }], { [A]: 30, [B]: 40 }).found).toEqual([]);
    expect(tracker.current).toEqual([]);
  });
});

describe('a deadlock ends', () => {
  beforeEach(() => {
    look(cycle(), { [A]: 10, [B]: 10 });
  });

  const ends: [string, ContendedLock[], object][] = [
    [
      'by an operator',
      [endedHold({ cause: 'forced', by: 'ada' }), contendedLock('b', P_WAITS_FOR_Q)],
      { end: 'forced', by: 'ada' },
    ],
    [
      'with a lease',
      [endedHold({ cause: 'expired' }), contendedLock('b', P_WAITS_FOR_Q)],
      { end: 'expired', by: null },
    ],
    [
      'with a wait, of an owner that then released its lock',
      [
        endedHold({ cause: 'released' }),
        contendedLock('b', { holds: [{ owner: 'q' }], queue: [] }),
      ],
      { end: 'waitEnded' },
    ],
    [
      'with a release by an owner that still waits',
      [
        contendedLock('a', { holds: [{ owner: 'q', ends: { token: 2 } }], queue: [] }),
        contendedLock('b', P_WAITS_FOR_Q),
      ],
      { end: 'released' },
    ],
  ];
  test.each(ends)('%s', (_, locks, expected) => {
    expect(look(locks, { [A]: 20, [B]: 20 }).ended).toMatchObject([expected]);
    expect(tracker.current).toEqual([]);
  });

  test('not before it was found, even if the clock was set back since', () => {
    const [, locks] = ends[0] as (typeof ends)[0];
    const { ended } = look(locks, { [A]: 20, [B]: 20 }, [], 100);
    expect(ended).toMatchObject([{ foundAt: 500, endedAt: 500 }]);
  });

  test('not because its backend does not respond', () => {
    expect(look(cycle(), { [A]: 20, [B]: 20 }, [B]).ended).toEqual([]);
    expect(tracker.current).toHaveLength(1);
  });
});
