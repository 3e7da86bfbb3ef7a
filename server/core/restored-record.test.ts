import { beforeEach, describe, expect, it } from 'vitest';
import { ANSWERS_MAX_MS } from './decision';
import { type LockRecord, unwrittenRecord } from './lock/lock-record';
import { restoredCounter, restoredLock } from './restored-record';
import { acquire, release, renew } from './testing/lock-requests';
import { LockWorld } from './testing/lock-world';
import { HOUR_MS } from './time-units';

const inspect = () => ({ verb: 'inspect' }) as const;

let world: LockWorld;
beforeEach(() => {
  world = new LockWorld();
});

/** A new process over the backup, under the next epoch. */
function restore(backup: LockRecord | null, quietMs: number) {
  const { now } = world;
  world.epoch += 1;
  const grantsFrom = now + quietMs;
  world.policy = { ...world.policy, grantsFrom };
  const why = { by: 'restore', reason: 'disk lost' };
  const restored = backup && restoredLock(backup, { epoch: world.epoch, now, grantsFrom, ...why });
  world.record = restored?.next ?? null;
  return restored;
}

const take = (leaseMs = HOUR_MS) => {
  const answer = world.run(acquire('orders/a', { leaseMs }));
  if (answer.outcome !== 'granted') throw new Error(answer.outcome);
  return answer.token;
};

describe('a restored lock', () => {
  it('is not granted while a hold that the backup does not contain may last', () => {
    const first = take();
    const backup = world.record;
    world.run(release('orders/a', first));
    const unknown = take(2 * HOUR_MS);
    restore(backup, 24 * HOUR_MS);

    expect(world.run(acquire('orders/b'))).toMatchObject({ outcome: 'held', holders: [] });
    expect(world.run(renew('orders/a', unknown))).toMatchObject({ outcome: 'lost' });
    expect(world.run(inspect())).toMatchObject({ state: 'delayed' });
    world.pass(24 * HOUR_MS);
    expect(take()).toBeGreaterThan(unknown);
  });

  it('is not granted before the least hold time of its former holder is over', () => {
    const answer = world.run(acquire('orders/a', { leaseMs: HOUR_MS, holdAtLeastMs: HOUR_MS }));
    world.run(release('orders/a', answer.outcome === 'granted' ? answer.token : 0));
    restore(world.record, 0);
    expect(world.run(acquire('orders/b'))).toMatchObject({ outcome: 'held', holders: [] });
    world.pass(HOUR_MS);
    expect(world.run(acquire('orders/b')).outcome).toBe('granted');
  });

  it('is delayed for as long if a clock that is ahead is used from then on', () => {
    const answer = world.run(acquire('orders/a', { leaseMs: HOUR_MS, holdAtLeastMs: HOUR_MS }));
    world.run(release('orders/a', answer.outcome === 'granted' ? answer.token : 0));
    const { now } = world;
    const delayed = { ...unwrittenRecord(now), rev: 1, delayedUntil: now + 5_000 };
    const facts = { epoch: 2, now, grantsFrom: 0, aheadMs: 60_000, by: 'reshard', reason: 'moved' };
    const until = (record: LockRecord) => restoredLock(record, facts).next.delayedUntil;
    expect(until(delayed)).toBe(now + 65_000);
    expect(until(world.record as LockRecord)).toBe(now + HOUR_MS + 60_000);
    expect(until({ ...delayed, delayedUntil: 0 })).toBe(0);
  });

  it('is kept for as long as its answers if a clock that is ahead is used from then on', () => {
    const { now } = world;
    const facts = { epoch: 2, now, grantsFrom: 0, aheadMs: 60_000, by: 'reshard', reason: 'moved' };
    const until = (answersUntil: number | null) =>
      restoredLock({ ...unwrittenRecord(now), rev: 1, answersUntil }, facts).next.answersUntil;
    expect(until(now + 5_000)).toBe(now + 65_000);
    expect(until(null)).toBe(now + ANSWERS_MAX_MS + 60_000);
    expect(until(0)).toBe(0);
  });

  it('has no permits in use and no capacity, so the next caller may name another', () => {
    const permits = { mode: 'permit', permits: 2, capacity: 3 } as const;
    world.run(acquire('orders/a', permits));
    world.run(acquire('orders/b', { ...permits, waitMs: HOUR_MS }));
    restore(world.record, 0);
    expect(world.run(inspect())).toMatchObject({ holders: [], waiters: [] });
    world.pass(HOUR_MS);
    const other = acquire('orders/c', { ...permits, capacity: 2 });
    expect(world.run(other).outcome).toBe('granted');
  });

  it('is no longer held by the holder in the backup, which is answered the reason', () => {
    const token = take();
    world.run(acquire('orders/waiter', { waitMs: HOUR_MS }));
    const restored = restore(world.record, 0);
    const why = { by: 'restore', reason: 'disk lost' };
    expect(world.run(renew('orders/a', token))).toMatchObject({
      outcome: 'lost',
      cause: 'forced',
      ...why,
    });
    const recorded = restored?.events.map(({ kind, rev }) => [kind, rev]);
    expect(recorded).toEqual([
      ['dropped', restored?.next.rev],
      ['forced', restored?.next.rev],
    ]);
    expect(world.record?.queue).toEqual([]);
    expect(world.run(inspect()).minValidToken).toBeGreaterThan(token);
  });

  it('has the timeouts of its waiters in its events, where they were before the restore', () => {
    take();
    const queuedAt = world.now;
    world.run(acquire('orders/waiter', { waitMs: 5_000 }));
    world.pass(HOUR_MS / 2);
    expect(restore(world.record, 0)?.events).toMatchObject([
      { kind: 'timeout', at: queuedAt + 5_000, waitedMs: 5_000 },
      { kind: 'forced', at: world.now },
    ]);
  });

  it('has a rev above all earlier ones, including those after the backup', () => {
    const first = take();
    const backup = world.record;
    world.run(release('orders/a', first));
    take();
    const revBefore = world.record?.rev ?? 0;
    world.pass(1_000);
    expect(restore(backup, 0)?.next.rev).toBeGreaterThan(revBefore);
  });

  it('continues above its last restore when the same backup is restored twice', () => {
    take();
    const backup = world.record;
    restore(backup, 0);
    const token = take();
    world.pass(1_000);
    world.epoch -= 1; // The second place knows nothing of the first.
    restore(backup, 0);
    expect(take()).toBeGreaterThan(token);
  });

  it('stays frozen if it was frozen', () => {
    take();
    const frozen = { by: 'ana', reason: 'looking into it', at: world.now };
    const backup = world.record && { ...world.record, frozen };
    expect(restore(backup, 0)?.next.frozen).toEqual(frozen);
  });

  it('is delayed as well if the backup does not contain it', () => {
    restore(null, HOUR_MS);
    expect(world.run(inspect())).toMatchObject({
      state: 'delayed',
      delayedUntil: world.now + HOUR_MS,
    });
    expect(world.run(acquire('orders/a')).outcome).toBe('held');
    const waiting = acquire('orders/b', { waitMs: 2 * HOUR_MS });
    expect(world.run(waiting).outcome).toBe('queued');
    world.pass(HOUR_MS);
    world.run({ verb: 'expireAndPromote' });
    expect(world.record?.holds.map(({ owner }) => owner)).toEqual(['b']);
  });

  it('is not granted by a decision that took the delay for over too soon', () => {
    restore(null, HOUR_MS);
    world.pass(HOUR_MS - 1);
    const early = world.propose(acquire('orders/a'), 'p1', 1);
    expect(early.decision.answer.outcome).toBe('granted');
    expect(world.write(early)).toBe(false);
    world.pass(1);
    expect(world.write(early)).toBe(true);
  });
});

it('a restored counter keeps its value and bounds, and has a rev above all earlier ones', () => {
  const lastMove = { at: 1, delta: 7, who: 'orders', isPerson: false };
  const facts = { rev: 5, value: 7, floor: 0, ceiling: 9, createdAt: 1, lastMove };
  const record = { ...facts, answersUntil: 0 };
  const next = restoredCounter(record, world.now);
  expect(next).toEqual({ ...record, rev: next.rev });
  expect(next.rev).toBeGreaterThan(world.now - Date.UTC(2025, 0, 1));
  const answered = { ...record, answersUntil: world.now + 5_000 };
  expect(restoredCounter(answered, world.now, 60_000).answersUntil).toBe(world.now + 65_000);
});
