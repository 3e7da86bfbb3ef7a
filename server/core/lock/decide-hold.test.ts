import { beforeEach, describe, expect, it } from 'vitest';
import {
  acquire,
  type Caller,
  forceRelease,
  release,
  renew,
  requestOf,
  revertGrant,
} from '../testing/lock-requests';
import { LockWorld, START_AT } from '../testing/lock-world';
import { HOUR_MS } from '../time-units';

let world: LockWorld;

beforeEach(() => {
  world = new LockWorld();
});

const take = (caller: Caller, options: Parameters<typeof acquire>[1] = {}) => {
  const answer = world.run(acquire(caller, options));
  if (answer.outcome !== 'granted') throw new Error(`expected a grant, got ${answer.outcome}`);
  return answer.token;
};

const forbidden = expect.objectContaining({ reason: 'FORBIDDEN' });

describe('a renewal', () => {
  it('gives the current hold a full lease from now', () => {
    const token = take('orders/w1', { leaseMs: 10_000 });
    world.pass(4_000);
    expect(world.run(renew('orders/w1', token, 10_000))).toEqual({
      outcome: 'renewed',
      rev: world.record?.rev,
      expiresAt: START_AT + 14_000,
      expiresInMs: 10_000,
    });
    expect(world.record?.holds[0]).toMatchObject({ renewals: 1, renewedAt: START_AT + 4_000 });
  });

  it('never shortens a lease', () => {
    const token = take('orders/w1', { leaseMs: 10_000 });
    const answer = world.run(renew('orders/w1', token, 1_000));
    expect(answer).toMatchObject({ outcome: 'renewed', expiresAt: START_AT + 10_000 });
  });

  it('is too late at the exact instant at which the lease ends, even if no caller followed', () => {
    const token = take('orders/w1', { leaseMs: 10_000 });
    world.pass(10_000);
    expect(world.run(renew('orders/w1', token))).toEqual({
      outcome: 'lost',
      cause: 'expired',
      at: START_AT + 10_000,
    });
    expect(world.run(renew('orders/w1', token)).outcome).toBe('lost');
  });

  it('decided in time but written after the lease has ended is refused by the store', () => {
    const token = take('orders/w1', { leaseMs: 10_000 });
    world.pass(9_999);
    const stalled = world.propose(renew('orders/w1', token));
    world.pass(1);
    expect(world.write(stalled)).toBe(false);
  });

  it('by another owner is `lost`, by another service `FORBIDDEN`', () => {
    const token = take('orders/w1');
    expect(world.run(renew('orders/w2', token)).outcome).toBe('lost');
    expect(() => world.run(renew('billing/w1', token))).toThrow(forbidden);
    expect(world.record?.holds[0]?.renewals).toBe(0);
  });

  it('with the token of an earlier hold is answered when that hold ended', () => {
    const first = take('orders/w1');
    world.run(release('orders/w1', first));
    world.run(release('orders/w2', take('orders/w2')));
    world.pass(500);
    take('orders/w3');
    expect(world.run(renew('orders/w1', first))).toEqual({
      outcome: 'lost',
      cause: 'superseded',
      at: START_AT + 500,
    });
  });
});

describe('a release', () => {
  it('ends the hold and frees the lock at once', () => {
    const token = take('orders/w1');
    expect(world.run(release('orders/w1', token))).toEqual({ outcome: 'released' });
    expect(world.record?.holds).toEqual([]);
  });

  it('removes one entry from a re-entered hold', () => {
    const token = take('orders/w1');
    take('orders/w1', { reentrant: true });
    expect(world.run(release('orders/w1', token))).toEqual({
      outcome: 'decremented',
      holdCount: 1,
    });
    expect(world.run(release('orders/w1', token))).toEqual({ outcome: 'released' });
  });

  it('repeated under its request id removes no second entry while its hold lives', () => {
    const token = take('orders/w1', { leaseMs: HOUR_MS });
    for (const _ of [2, 3]) take('orders/w1', { leaseMs: HOUR_MS, reentrant: true });
    const once = { ...release('orders/w1', token), request: requestOf('r') };
    const answer = world.run(once);
    expect(answer).toEqual({ outcome: 'decremented', holdCount: 2 });
    world.pass(HOUR_MS - 1);
    expect(world.run(once)).toEqual(answer);
    expect(world.record?.holds[0]?.count).toBe(2);
  });

  it('is `lost` when the lease has expired, with the instant of expiry', () => {
    const token = take('orders/w1', { leaseMs: 1_000 });
    world.pass(5_000);
    expect(world.run(release('orders/w1', token))).toEqual({
      outcome: 'lost',
      cause: 'expired',
      at: START_AT + 1_000,
    });
  });

  it('is `lost` when an operator forced it, with who, why and when', () => {
    const token = take('orders/w1');
    world.pass(3_000);
    world.run(forceRelease(token));
    expect(world.run(release('orders/w1', token))).toEqual({
      outcome: 'lost',
      cause: 'forced',
      at: START_AT + 3_000,
      by: 'ada',
      reason: 'it hangs',
    });
  });

  it('is `lost` the second time, and does not affect the next holder', () => {
    const token = take('orders/w1');
    world.run(release('orders/w1', token));
    const next = take('orders/w1');
    expect(world.run(release('orders/w1', token))).toMatchObject({ cause: 'released' });
    expect(world.record?.holds[0]?.token).toBe(next);
  });

  it('by another owner is `lost`, by another service `FORBIDDEN`, even when it is over', () => {
    const token = take('orders/w1');
    expect(world.run(release('orders/w2', token)).outcome).toBe('lost');
    expect(() => world.run(release('billing/w1', token))).toThrow(forbidden);
    world.run(forceRelease(token));
    const answer = world.run(release('orders/w2', token));
    expect(answer).toMatchObject({ outcome: 'lost', cause: 'superseded' });
    expect(answer).not.toHaveProperty('by');
    expect(() => world.run(release('billing/w1', token))).toThrow(forbidden);
  });

  it('repeated with the same request id removes one entry only', () => {
    const token = take('orders/w1');
    take('orders/w1', { reentrant: true });
    const once = world.run(release('orders/w1', token, 'r1'));
    expect(world.run(release('orders/w1', token, 'r1'))).toEqual(once);
    expect(world.record?.holds[0]?.count).toBe(1);
    const twice = world.run(release('orders/w1', token, 'r2'));
    expect(world.run(release('orders/w1', token, 'r2'))).toEqual(twice);
  });

  it('with a used request id and another token is refused', () => {
    const token = take('orders/w1');
    world.run(release('orders/w1', token, 'r1'));
    const other = () => world.run(release('orders/w1', token + 1, 'r1'));
    expect(other).toThrow(expect.objectContaining({ reason: 'INVALID' }));
  });

  it('keeps the record small, however often the lock is re-entered under new request ids', () => {
    const token = take('orders/w1', { requestId: 'first' });
    for (let i = 0; i < 50; i += 1) {
      take('orders/w1', { reentrant: true, requestId: `again ${i}` });
      world.run(release('orders/w1', token));
    }
    expect(world.record?.holds[0]?.requests).toHaveLength(1);
  });
});

describe('reverting a grant that came too late', () => {
  const anonymous = (leaseMs: number) => acquire('orders/w1', { leaseMs, reentrant: true });

  it('frees the lock, and the next grant has a higher token', () => {
    const first = take('orders/w1', { leaseMs: 1_000 });
    world.pass(960);
    expect(world.run(revertGrant(first))).toEqual({ outcome: 'reverted' });
    expect(world.run(anonymous(1_000))).toMatchObject({ outcome: 'granted', holdCount: 1 });
    expect(world.record?.holds[0]?.token).toBeGreaterThan(first);
  });

  it('says when it ended even if the lease has expired meanwhile', () => {
    const first = take('orders/w1', { leaseMs: 1_000 });
    world.pass(1_500);
    world.run(revertGrant(first));
    expect(world.record?.ended).toMatchObject({ token: first, at: START_AT + 1_000 });
  });

  it('keeps the record of the expired hold before it, to answer that holder correctly', () => {
    take('orders/w1', { leaseMs: 1_000, mode: 'shared' });
    world.pass(300);
    const late = take('orders/w2', { leaseMs: 1_000, mode: 'shared' });
    world.pass(900);
    world.run(revertGrant(late));
    expect(world.record?.ended).toMatchObject({ token: late, at: START_AT + 1_200 });
    expect(world.run(release('orders/w2', late))).toEqual({
      outcome: 'lost',
      cause: 'released',
      at: START_AT + 1_200,
    });
  });

  it('keeps a grant that may still be the answer to a request id', () => {
    const token = take('orders/w1', { leaseMs: 1_000, requestId: 'r1' });
    expect(world.run(revertGrant(token))).toEqual({ outcome: 'kept' });
    const again = world.run(acquire('orders/w1', { leaseMs: 1_000, requestId: 'r1' }));
    expect(again).toMatchObject({ outcome: 'granted', token });
  });

  it('of a re-entry removes that entry and keeps the rest of the hold', () => {
    const token = take('orders/w1', { leaseMs: 1_000, requestId: 'r1' });
    world.run(anonymous(1_000));
    world.run(revertGrant(token));
    expect(world.record?.holds).toMatchObject([{ token, count: 1 }]);
    expect(world.run(revertGrant(token))).toEqual({ outcome: 'kept' });
  });

  it('of a re-entry removes no second entry when it is repeated', () => {
    const token = take('orders/w1', { leaseMs: 1_000 });
    for (const _ of [2, 3]) world.run(anonymous(1_000));
    const revert = revertGrant(token, 'r1');
    for (const _ of [1, 2]) expect(world.run(revert)).toEqual({ outcome: 'reverted' });
    expect(world.record?.holds).toMatchObject([{ token, count: 2 }]);
  });

  it('grants the lock to the first waiter that is still present', () => {
    const token = take('orders/w1', { leaseMs: 1_000, reentrant: true });
    world.run(acquire('orders/w2', { waitMs: 60_000 }), 'p2');
    world.run(acquire('orders/w3', { waitMs: 60_000 }), 'p3');
    world.kill('p2');
    world.run(revertGrant(token));
    expect(world.record).toMatchObject({ offers: [{ ticket: 2 }], queue: [{ owner: 'w3' }] });
  });

  it('of a hold that does not exist is `gone`', () => {
    expect(world.run(revertGrant(1))).toEqual({ outcome: 'gone' });
  });
});
