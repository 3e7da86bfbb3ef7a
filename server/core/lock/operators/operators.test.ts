import { beforeEach, describe, expect, it } from 'vitest';
import { LEASE_MAX_MS } from '../../../contract/namespace-policy';
import {
  acquire,
  type Caller,
  extend,
  forceRelease,
  release,
  renew,
} from '../../testing/lock-requests';
import { LockWorld, START_AT } from '../../testing/lock-world';

let world: LockWorld;

beforeEach(() => {
  world = new LockWorld();
});

const take = (caller: Caller, options: Parameters<typeof acquire>[1] = {}) => {
  const answer = world.run(acquire(caller, options));
  if (answer.outcome !== 'granted') throw new Error(`expected a grant, got ${answer.outcome}`);
  return answer.token;
};

const isValid = (token: number) => world.run({ verb: 'check', token }).valid;

describe('a force-release', () => {
  it('ends the hold that was seen, whatever its count; its token is invalid at once', () => {
    const token = take('orders/w1');
    take('orders/w1', { reentrant: true });
    expect(world.run(forceRelease(token))).toEqual({
      outcome: 'forced',
      rev: world.record?.rev,
      token,
      next: { kind: 'nobody' },
      queueLength: 0,
    });
    expect(isValid(token)).toBe(false);
    expect(world.run({ verb: 'inspect' }).minValidToken).toBeGreaterThan(token);
  });

  it('says who got the lock next', () => {
    const token = take('orders/w1');
    world.run(acquire('orders/w2', { waitMs: 1_000 }));
    world.run(acquire('orders/w3', { waitMs: 1_000 }));
    const answer = world.run(forceRelease(token));
    const next = { kind: 'granted', owner: 'w2', service: 'orders' };
    expect(answer).toMatchObject({ outcome: 'forced', next, queueLength: 1 });
  });

  it('says to whom the lock is offered', () => {
    const token = take('orders/w1');
    world.run(acquire('billing/w2', { waitMs: 1_000 }), 'p2');
    const next = { kind: 'offered', owner: 'w2', service: 'billing', token: null };
    expect(world.run(forceRelease(token))).toMatchObject({ outcome: 'forced', next });
  });

  it('names no next holder if its permits are not enough for the first waiter', () => {
    const permits = { mode: 'permit', capacity: 2 } as const;
    const [first, second] = ['orders/w1', 'orders/w2'].map((caller) =>
      take(caller as Caller, { ...permits, permits: 1 }),
    );
    const more = { ...permits, waitMs: 1_000 };
    world.run(acquire('billing/w3', { ...more, permits: 1 }), 'p2');
    world.run(acquire('billing/w4', { ...more, permits: 2 }), 'p2');
    world.run(release('orders/w1', first ?? 0));
    expect(world.record?.offers).toHaveLength(1);
    const answer = world.run(forceRelease(second ?? 0));
    expect(answer).toMatchObject({ outcome: 'forced', next: { kind: 'nobody' }, queueLength: 2 });
  });

  it('is not refused because of renewals or new waiters', () => {
    const token = take('orders/w1');
    world.run(renew('orders/w1', token));
    world.run(acquire('orders/w2', { waitMs: 1_000 }), 'p2');
    expect(world.run(forceRelease(token)).outcome).toBe('forced');
  });

  it('does nothing when the lock has changed hands, and shows both states', () => {
    const seen = take('orders/w1');
    world.run(release('orders/w1', seen));
    const token = take('orders/w2');
    const before = world.record;
    expect(world.run(forceRelease(seen))).toEqual({
      outcome: 'changed',
      rev: before?.rev,
      state: 'held',
      holders: [expect.objectContaining({ owner: 'w2', token })],
      queueLength: 0,
      ended: { cause: 'released', at: START_AT },
    });
    expect(world.record).toBe(before);
  });

  it('of an expired hold says so, with the rev that recorded the expiry', () => {
    const seen = take('orders/w1', { leaseMs: 1_000 });
    world.pass(2_000);
    const answer = world.run(forceRelease(seen));
    expect(answer).toMatchObject({
      outcome: 'changed',
      rev: world.record?.rev,
      state: 'expired',
      holders: [],
      ended: { cause: 'expired', at: START_AT + 1_000 },
    });
  });

  it('of a lock that was never acquired changes nothing', () => {
    const answer = world.run(forceRelease(7));
    expect(answer).toMatchObject({ outcome: 'changed', rev: 0, state: 'free' });
    expect(world.record).toBe(null);
  });

  it('repeated with the same id gets the same answer, and ends no other hold', () => {
    const token = take('orders/w1');
    const once = world.run(forceRelease(token, 'a'));
    const next = take('orders/w2');
    expect(world.run(forceRelease(token, 'a'))).toEqual(once);
    expect(isValid(next)).toBe(true);
  });
});

describe('an extension', () => {
  it('adds time to the lease of the hold that was seen', () => {
    const token = take('orders/w1', { leaseMs: 10_000 });
    world.pass(5_000);
    expect(world.run(extend(token, 60_000))).toEqual({
      outcome: 'extended',
      rev: world.record?.rev,
      expiresAt: START_AT + 70_000,
      expiresInMs: 65_000,
    });
  });

  it('is not shortened by the next renewal', () => {
    const token = take('orders/w1', { leaseMs: 10_000 });
    world.run(extend(token, 60_000));
    const answer = world.run(renew('orders/w1', token, 10_000));
    expect(answer).toMatchObject({ outcome: 'renewed', expiresAt: START_AT + 70_000 });
  });

  it('repeated with the same id adds no more time', () => {
    const token = take('orders/w1', { leaseMs: 10_000 });
    const once = world.run(extend(token, 60_000));
    expect(world.run(extend(token, 60_000))).toEqual(once);
    expect(world.record?.holds[0]?.expiresAt).toBe(START_AT + 70_000);
  });

  it('makes no hold outlast the longest lease from now, which is how long a restore waits', () => {
    const token = take('orders/w1', { leaseMs: LEASE_MAX_MS });
    world.pass(60_000);
    const before = world.record;
    expect(() => world.run(extend(token, 60_001))).toThrow('more than 24 hours from now');
    expect(world.record).toBe(before);
    expect(world.run(extend(token, 60_000))).toMatchObject({ expiresInMs: LEASE_MAX_MS });
  });

  it('does nothing for a hold that is over, or for the next one', () => {
    const seen = take('orders/w1', { leaseMs: 1_000 });
    world.pass(1_000);
    take('orders/w2', { leaseMs: 1_000 });
    const before = world.record;
    const answer = world.run(extend(seen, 60_000));
    expect(answer).toMatchObject({ outcome: 'changed', holders: [{ owner: 'w2' }] });
    expect(world.record).toBe(before);
  });

  it('decided in time but written after the lease has ended is refused by the store', () => {
    const token = take('orders/w1', { leaseMs: 1_000 });
    world.pass(999);
    const stalled = world.propose(extend(token, 60_000));
    world.pass(1);
    expect(world.write(stalled)).toBe(false);
  });
});
