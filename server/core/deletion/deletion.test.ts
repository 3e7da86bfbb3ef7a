import { beforeEach, describe, expect, it } from 'vitest';
import { decideCounter } from '../counter/decide-counter';
import type { LockRecord } from '../lock/lock-record';
import { add, createCounter } from '../testing/counter-requests';
import { acquire, forceRelease, freeze, release } from '../testing/lock-requests';
import { LockWorld } from '../testing/lock-world';
import { MultiLockWorld, multiLockOf } from '../testing/multi-lock-world';
import { MINUTE_MS } from '../time-units';
import { counterDeletion, lockDeletion, type RetentionReason, retentionLabel } from './deletion';

let world: LockWorld;

beforeEach(() => {
  world = new LockWorld();
});

const of = (record: LockRecord | null) => {
  if (!record) throw new Error('There is no record.');
  return lockDeletion(record, world.epoch, world.now);
};
const keptBecause = (): RetentionReason | null => of(world.record).keptBecause;

/** Moves the clock to the last millisecond before the record may be deleted, then one further. */
function goesAfter(ms: number, why: RetentionReason): void {
  world.pass(ms - 1);
  expect(keptBecause()).toBe(why);
  expect(of(world.record).notBefore).toBe(world.now + 1);
  world.pass(1);
  expect(keptBecause()).toBe(null);
}

const take = (options?: Parameters<typeof acquire>[1]): number => {
  const answer = world.run(acquire('orders/w1', options));
  return answer.outcome === 'granted' ? answer.token : 0;
};

describe('a lock is kept', () => {
  it('while it is held, and while it is waited for', () => {
    const token = take({ leaseMs: 86_400_000 });
    world.pass(80 * MINUTE_MS);
    expect(of(world.record)).toEqual({ keptBecause: 'held', notBefore: Number.POSITIVE_INFINITY });
    world.run(acquire('orders/w2', { waitMs: 600_000 }));
    world.policy = { ...world.policy, closedBecause: 'Closed.' };
    world.run(release('orders/w1', token));
    expect(keptBecause()).toBe('waitedFor');
  });

  it('while it is frozen', () => {
    world.run(release('orders/w1', take()));
    world.run(freeze('a repair'));
    world.pass(80 * MINUTE_MS);
    expect(of(world.record)).toEqual({
      keptBecause: 'frozen',
      notBefore: Number.POSITIVE_INFINITY,
    });
  });

  it('for an hour after its hold was lost, recorded or not, and during its lock delay', () => {
    take({ leaseMs: 1_000 });
    world.pass(1_000);
    goesAfter(60 * MINUTE_MS, 'lostLately');
    world.policy = { queueLimit: 1, lockDelayMs: 5 * MINUTE_MS };
    world.run(forceRelease(take()));
    expect(keptBecause()).toBe('delayed');
    world.pass(5 * MINUTE_MS);
    goesAfter(55 * MINUTE_MS, 'lostLately');
  });

  it('until a new one would start 10 minutes above its tokens and revs', () => {
    world.run(release('orders/w1', take()));
    goesAfter(10 * MINUTE_MS + 2, 'tokensAhead');
    const hot = { ...(world.record as LockRecord), lastToken: 2 ** 41 + 60_000_000_000 };
    expect(lockDeletion(hot, 1, world.now).keptBecause).toBe('tokensAhead');
    expect(lockDeletion(hot, 2, world.now).keptBecause).toBe(null);
    const ahead = { ...(world.record as LockRecord), rev: 60_000_000_000 };
    expect(lockDeletion(ahead, 2, world.now).keptBecause).toBe('tokensAhead');
  });

  it('while an answer about it is remembered', () => {
    const token = take({ requestId: 'one', leaseMs: 10_000 });
    world.run(release('orders/w1', token));
    const until = Math.max(...[...world.storedAnswers.values()].map(({ expiresAt }) => expiresAt));
    goesAfter(until - world.now, 'answersKept');
  });

  it('with each lock of a multi-lock, whose answer is stored with one of them', () => {
    const sets = new MultiLockWorld();
    sets.runSet(multiLockOf('ab', { requestId: 'one' }));
    const until = Math.max(...[...sets.storedAnswers.values()].map(({ expiresAt }) => expiresAt));
    for (const name of 'ab') expect(sets.records.get(name)?.answersUntil).toBe(until);
  });

  it('for as long as an answer can be remembered, if an older version wrote it', () => {
    world.run(release('orders/w1', take()));
    world.record = { ...(world.record as LockRecord), answersUntil: null };
    goesAfter((24 * 60 + 30 + 15) * MINUTE_MS, 'answersKept');
    world.record = { ...(world.record as LockRecord), answersUntil: null };
    take();
    expect(world.record?.answersUntil).toBe(world.now + (24 * 60 + 30 + 15) * MINUTE_MS);
  });
});

it('a counter is kept while an answer is remembered, and until a new one starts higher', () => {
  const now = Date.UTC(2026, 0, 1);
  const context = { now, storedAnswer: null };
  const made = decideCounter(null, createCounter(5), context).next;
  if (!made) throw new Error('It was not made.');
  expect(counterDeletion(made, now).keptBecause).toBe('tokensAhead');
  expect(counterDeletion(made, now + 10 * MINUTE_MS + 1).keptBecause).toBe(null);
  const moved = decideCounter(made, add(1, 'one'), context).next;
  if (!moved) throw new Error('It was not moved.');
  const kept = { keptBecause: 'answersKept', notBefore: now + 15 * MINUTE_MS };
  expect(counterDeletion(moved, now + 15 * MINUTE_MS - 1)).toEqual(kept);
  expect(counterDeletion(moved, now + 15 * MINUTE_MS).keptBecause).toBe(null);
});

it('a counter has its own reasons for being kept, since it has no tokens', () => {
  expect(retentionLabel('tokensAhead', 'lock')).toMatch(/^a new lock could repeat its tokens /);
  expect(retentionLabel('tokensAhead', 'counter')).toMatch(/^a new counter could repeat its revs /);
  expect(retentionLabel('answersKept', 'counter')).toBe(retentionLabel('answersKept', 'lock'));
});
