import { beforeEach, describe, expect, it } from 'vitest';
import {
  type AcquireOptions,
  acquire,
  askRelease,
  cancel,
  extend,
  forceRelease,
  release,
  renew,
  revertGrant,
  stopRenewals,
} from '../testing/lock-requests';
import { LockWorld, START_AT } from '../testing/lock-world';

const FREES_AT = START_AT + 6_000;

let world: LockWorld;

beforeEach(() => {
  world = new LockWorld();
});

/** A lease of 10 s, of which at least 6 s. */
function take(options: AcquireOptions = {}): number {
  const answer = world.run(acquire('orders/w1', { holdAtLeastMs: 6_000, ...options }));
  return answer.outcome === 'granted' ? answer.token : expect.unreachable();
}

/** The same, released after 1 s. */
function takeAndRelease(options: AcquireOptions = {}): number {
  const token = take(options);
  world.pass(1_000);
  world.run(release('orders/w1', token));
  return token;
}

describe('a lock that is held at least for a while', () => {
  it('stays taken until then after an early release, and is free at that instant', () => {
    const token = take();
    world.pass(200);
    const released = { outcome: 'released', freesAt: FREES_AT, freesInMs: 5_800 };
    expect(world.run(release('orders/w1', token))).toEqual(released);
    world.pass(5_799);
    expect(world.run(acquire('orders/w2'))).toMatchObject({ outcome: 'held', retryAfterMs: 50 });
    world.pass(1);
    expect(world.run(acquire('orders/w2')).outcome).toBe('granted');
  });

  it('ends as released at that instant, not as expired, and so without a lock-delay', () => {
    world.policy = { ...world.policy, lockDelayMs: 3_000 };
    const token = takeAndRelease();
    world.pass(20_000);
    const { events } = world.propose({ verb: 'expireAndPromote' }).decision;
    expect(events).toMatchObject([{ kind: 'released', token, at: FREES_AT, heldMs: 6_000 }]);
    expect(world.run(acquire('orders/w2')).outcome).toBe('granted');
  });

  it('is free at once if it is released after that instant', () => {
    const token = take();
    world.pass(6_000);
    expect(world.run(release('orders/w1', token))).toEqual({ outcome: 'released' });
    expect(world.run(acquire('orders/w2')).outcome).toBe('granted');
  });

  it('ends with its lease when its holder dies', () => {
    take({ holdAtLeastMs: 10_000 });
    world.pass(9_999);
    expect(world.run(acquire('orders/w2')).outcome).toBe('held');
    world.pass(1);
    expect(world.run(acquire('orders/w2')).outcome).toBe('granted');
  });

  it('makes the queue wait, and is then granted to the first waiter', () => {
    const token = take();
    world.run(acquire('orders/w2', { waitMs: 60_000 }));
    world.run(acquire('orders/w3', { waitMs: 60_000 }));
    world.run(release('orders/w1', token));
    expect(world.record?.holds).toMatchObject([{ owner: 'w1' }]);
    world.pass(6_000);
    world.run({ verb: 'expireAndPromote' });
    expect(world.record?.holds).toMatchObject([{ owner: 'w2' }]);
    expect(world.record?.queue).toMatchObject([{ owner: 'w3' }]);
  });

  it('excludes its former owner like any other caller, even one that would re-enter', () => {
    takeAndRelease();
    expect(world.run(acquire('orders/w1')).outcome).toBe('held');
    expect(world.run(acquire('orders/w1', { reentrant: true })).outcome).toBe('held');
  });

  it('admits other shared holders, and excludes exclusive ones', () => {
    takeAndRelease({ mode: 'shared' });
    expect(world.run(acquire('orders/w2', { mode: 'shared' })).outcome).toBe('granted');
    expect(world.run(acquire('orders/w3')).outcome).toBe('held');
  });

  it('is kept only after the last of its entries is released', () => {
    const token = take({ leaseMs: 60_000 });
    world.run(acquire('orders/w1', { reentrant: true }));
    expect(world.run(release('orders/w1', token))).toEqual({
      outcome: 'decremented',
      holdCount: 1,
    });
    expect(world.run(release('orders/w1', token))).toMatchObject({ freesAt: FREES_AT });
  });

  it('is kept longer if a re-entry asks for it, and never shorter', () => {
    const token = take();
    world.pass(5_000);
    const again = { reentrant: true, holdAtLeastMs: 8_000 };
    world.run(acquire('orders/w1', again));
    world.run(acquire('orders/w1', { ...again, holdAtLeastMs: 1 }));
    world.run(release('orders/w1', token));
    world.run(release('orders/w1', token));
    const freesAt = START_AT + 13_000;
    expect(world.run(release('orders/w1', token))).toMatchObject({ outcome: 'released', freesAt });
  });
});

describe('its former holder', () => {
  it('gets the same answer to every further release, with or without a request id', () => {
    const token = take();
    const named = release('orders/w1', token, 'once');
    const released = { outcome: 'released', freesAt: FREES_AT };
    expect(world.run(named)).toEqual({ ...released, freesInMs: 6_000 });
    world.pass(2_000);
    expect(world.run(named)).toEqual({ ...released, freesInMs: 4_000 });
    expect(world.run(release('orders/w1', token))).toEqual({ ...released, freesInMs: 4_000 });
    world.pass(10_000);
    expect(world.run(named)).toEqual({ ...released, freesInMs: 0 });
    expect(world.run(release('orders/w1', token))).toMatchObject({
      outcome: 'lost',
      cause: 'released',
      at: FREES_AT,
    });
  });

  it('cannot renew it, and is answered when the lock frees', () => {
    const token = takeAndRelease();
    expect(world.run(renew('orders/w1', token))).toEqual({
      outcome: 'released',
      freesAt: FREES_AT,
      freesInMs: 5_000,
    });
    expect(world.record?.holds).toMatchObject([{ expiresAt: FREES_AT, renewals: 0 }]);
  });

  it('gets `ended` for its repeated acquire', () => {
    const token = takeAndRelease({ requestId: 'r1' });
    const again = acquire('orders/w1', { holdAtLeastMs: 6_000, requestId: 'r1' });
    expect(world.run(again)).toEqual({ outcome: 'ended', token, cause: 'released' });
  });

  it('cannot end it early by cancelling its acquire', () => {
    takeAndRelease({ requestId: 'r1' });
    expect(world.run(cancel('orders/w1', 'r1'))).toEqual({ outcome: 'none' });
    expect(world.run(acquire('orders/w2')).outcome).toBe('held');
  });

  it('no longer has a valid token', () => {
    const token = takeAndRelease();
    expect(world.run({ verb: 'check', token })).toEqual({ valid: false });
    expect(world.run({ verb: 'inspect' }).minValidToken).toBeGreaterThan(token);
  });
});

describe('an undone acquire', () => {
  it('frees the lock at once, since no caller received it', () => {
    take({ requestId: 'r1' });
    expect(world.run(cancel('orders/w1', 'r1'))).toEqual({ outcome: 'released' });
    expect(world.run(acquire('orders/w2')).outcome).toBe('granted');
  });

  it('frees the lock at once if its grant came too late', () => {
    const token = take();
    expect(world.run(revertGrant(token))).toEqual({ outcome: 'reverted' });
    expect(world.run(acquire('orders/w2')).outcome).toBe('granted');
  });

  it('is not undone for lateness once it was released', () => {
    const token = takeAndRelease();
    expect(world.run(revertGrant(token))).toEqual({ outcome: 'gone' });
    expect(world.run(acquire('orders/w2')).outcome).toBe('held');
  });
});

describe('an operator', () => {
  it('sees that and when it was released, and when it frees', () => {
    takeAndRelease();
    expect(world.run({ verb: 'inspect' })).toMatchObject({
      state: 'held',
      holders: [
        { owner: 'w1', releasedAt: START_AT + 1_000, keptUntil: FREES_AT, expiresAt: FREES_AT },
      ],
    });
  });

  it('can end it at once by force, without a lock delay, since its holder has released it', () => {
    world.policy = { ...world.policy, lockDelayMs: 3_000 };
    const token = takeAndRelease();
    world.run(acquire('orders/w2', { waitMs: 60_000 }));
    expect(world.run(forceRelease(token))).toMatchObject({
      outcome: 'forced',
      next: { kind: 'granted', owner: 'w2' },
    });
  });

  it.each([
    ['extend', (token: number) => extend(token, 5_000)],
    ['ask for', askRelease],
    ['stop the renewals of', stopRenewals],
  ] as const)('cannot %s it, and learns that it was released', (_, actOn) => {
    const token = takeAndRelease();
    expect(world.run(actOn(token))).toMatchObject({
      outcome: 'changed',
      state: 'held',
      holders: [{ token, releasedAt: START_AT + 1_000 }],
      ended: { cause: 'released', at: START_AT + 1_000 },
    });
    expect(world.record?.holds).toMatchObject([{ expiresAt: FREES_AT }]);
  });
});
