import { beforeEach, describe, expect, it } from 'vitest';
import { decideCounter } from '../counter/decide-counter';
import type { DecidingPolicy } from '../decision';
import { add, counterAt, createCounter } from '../testing/counter-requests';
import {
  acquire,
  askRelease,
  extend,
  forceRelease,
  freeze,
  release,
  renew,
  stopRenewals,
  unfreeze,
} from '../testing/lock-requests';
import { LockWorld } from '../testing/lock-world';
import { MultiLockWorld, multiLockOf } from '../testing/multi-lock-world';

const WHY = 'The namespace "orders" has 10 locks and counters, and may have 10.';
const ROOMY: DecidingPolicy = { queueLimit: 200, lockDelayMs: 0 };
const FULL: DecidingPolicy = { ...ROOMY, fullBecause: WHY };
const refused = expect.objectContaining({
  reason: 'NAMESPACE_FULL',
  message: WHY,
  retryAfterMs: 5_000,
});

let world: LockWorld;

beforeEach(() => {
  world = new LockWorld();
});

describe('a full namespace', () => {
  it('refuses a lock without a record, with patience or without', () => {
    world.policy = FULL;
    for (const parts of [{}, { waitMs: 60_000 }, { reentrant: true }, { requestId: 'one' }]) {
      expect(() => world.run(acquire('orders/w1', parts))).toThrow(refused);
    }
    expect(world.record).toBe(null);
    expect(world.run({ verb: 'inspect' })).toMatchObject({ state: 'free' });
  });

  it('keeps working for a lock with a record: held, waited for, free', () => {
    const first = world.run(acquire('orders/w1'));
    world.policy = FULL;
    const token = first.outcome === 'granted' ? first.token : 0;
    expect(world.run(renew('orders/w1', token)).outcome).toBe('renewed');
    expect(world.run(acquire('orders/w2')).outcome).toBe('held');
    expect(world.run(acquire('orders/w2', { waitMs: 1_000 })).outcome).toBe('queued');
    expect(world.run(release('orders/w1', token)).outcome).toBe('released');
    expect(world.record?.holds.map(({ owner }) => owner)).toEqual(['w2']);
    world.pass(3_600_000);
    expect(world.run(acquire('orders/w3')).outcome).toBe('granted');
  });

  it('freezes only locks that have a record', () => {
    world.policy = FULL;
    expect(() => world.run(freeze())).toThrow(refused);
    expect(world.run(unfreeze())).toEqual({ outcome: 'unchanged', rev: 0 });
    expect(world.record).toBe(null);
    world.policy = ROOMY;
    world.run(acquire('orders/w1'));
    world.policy = FULL;
    expect(world.run(freeze())).toMatchObject({ outcome: 'frozen' });
    expect(world.run(unfreeze())).toMatchObject({ outcome: 'unfrozen' });
  });

  it('creates no record when an operator acts on a name without one', () => {
    world.policy = FULL;
    for (const act of [forceRelease(7), extend(7, 1_000), askRelease(7), stopRenewals(7)]) {
      expect(world.run(act)).toMatchObject({ outcome: 'changed' });
      expect(world.record).toBe(null);
    }
  });

  it('repeats the grant to a request that was granted before', () => {
    const ask = acquire('orders/w1', { requestId: 'one' });
    const first = world.run(ask);
    world.policy = FULL;
    expect(world.run(ask)).toEqual(first);
  });

  it('answers a request whose lock was deleted that its hold has ended; grants nothing', () => {
    const ask = acquire('orders/w1', { requestId: 'one' });
    const first = world.run(ask);
    const token = first.outcome === 'granted' ? first.token : 0;
    world.pass(11 * 60_000);
    world.record = null;
    for (const policy of [ROOMY, FULL]) {
      world.policy = policy;
      expect(world.run(ask)).toEqual({ outcome: 'ended', token, cause: 'superseded' });
      expect(world.record).toBe(null);
    }
  });

  it('refuses a multi-lock with an unrecorded lock, and keeps the place of one that waits', () => {
    const sets = new MultiLockWorld();
    expect(sets.runSet(multiLockOf('ab'))).toMatchObject({ outcome: 'granted' });
    sets.policy = FULL;
    expect(() => sets.runSet(multiLockOf('bc', { owner: 'w2', waitMs: 1_000 }))).toThrow(refused);
    expect(sets.records.has('c')).toBe(false);
    expect(sets.runSet(multiLockOf('ab', { owner: 'w2' }))).toMatchObject({ outcome: 'held' });
    sets.policy = ROOMY;
    const patient = multiLockOf('bc', { owner: 'w2', waitMs: 60_000, requestId: 'one' });
    expect(sets.runSet(patient)).toMatchObject({ outcome: 'queued' });
    sets.policy = FULL;
    expect(sets.runSet(patient)).toMatchObject({ outcome: 'queued' });
  });

  it('refuses a multi-lock with more locks without a record than there is room for', () => {
    const sets = new MultiLockWorld();
    expect(sets.runSet(multiLockOf('ab'))).toMatchObject({ outcome: 'granted' });
    sets.policy = { ...ROOMY, roomForNames: 1 };
    expect(() => sets.runSet(multiLockOf('cd', { owner: 'w2' }))).toThrow(
      expect.objectContaining({ reason: 'NAMESPACE_FULL', retryAfterMs: 5_000 }),
    );
    expect([...sets.records.keys()].sort()).toEqual(['a', 'b']);
    expect(sets.runSet(multiLockOf('ac', { owner: 'w2' }))).toMatchObject({ outcome: 'held' });
    expect(sets.runSet(multiLockOf('ab', { owner: 'w2' }))).toMatchObject({ outcome: 'held' });
  });

  it('answers a multi-lock of which a lock was deleted since that its holds are over', () => {
    const sets = new MultiLockWorld();
    const ask = multiLockOf('ab', { requestId: 'one' });
    expect(sets.runSet(ask)).toMatchObject({ outcome: 'granted' });
    sets.now += 11 * 60_000;
    sets.records.delete('b');
    expect(sets.runSet(ask)).toMatchObject({
      outcome: 'ended',
      ended: [{ name: 'a' }, { name: 'b', cause: 'superseded' }],
    });
  });

  it('refuses a counter that was never created, and keeps working for existing ones', () => {
    const context = { now: Date.UTC(2026, 0, 1), storedAnswer: null, policy: FULL };
    expect(() => decideCounter(null, createCounter(), context)).toThrow(refused);
    expect(decideCounter(counterAt(3), createCounter(), context).answer.outcome).toBe('exists');
    expect(decideCounter(counterAt(3), add(2), context).answer).toMatchObject({ value: 5 });
    expect(() => decideCounter(null, add(2), context)).toThrow(/never created/);
  });
});
