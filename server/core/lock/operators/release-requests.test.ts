import { beforeEach, describe, expect, it } from 'vitest';
import { acquire, askRelease, extend, renew, stopRenewals } from '../../testing/lock-requests';
import { LockWorld, START_AT } from '../../testing/lock-world';

let world: LockWorld;
let token: number;

beforeEach(() => {
  world = new LockWorld();
  const answer = world.run(acquire('orders/w1', { leaseMs: 10_000 }));
  token = answer.outcome === 'granted' ? answer.token : 0;
});

describe('requesting a release', () => {
  it('is reported at every renewal from then on, and changes nothing else', () => {
    expect(world.run(askRelease(token))).toMatchObject({ outcome: 'told' });
    world.pass(1_000);
    const request = { by: 'ada', reason: 'a deploy waits', at: START_AT };
    for (const _ of [1, 2]) {
      expect(world.run(renew('orders/w1', token))).toMatchObject({
        outcome: 'renewed',
        expiresAt: world.now + 10_000,
        askedToRelease: request,
      });
    }
  });

  it('is not reported to the next holder', () => {
    world.run(askRelease(token));
    world.pass(10_000);
    const next = world.run(acquire('orders/w2'));
    const nextToken = next.outcome === 'granted' ? next.token : 0;
    expect(world.run(renew('orders/w2', nextToken))).not.toHaveProperty('askedToRelease');
  });

  it('for a hold that is over is answered with the current state', () => {
    world.pass(10_000);
    world.run(acquire('orders/w2'));
    expect(world.run(askRelease(token))).toMatchObject({
      outcome: 'changed',
      holders: [{ owner: 'w2' }],
      ended: { cause: 'expired' },
    });
  });
});

describe('blocking the renewals of a hold', () => {
  it('leaves its end unchanged, however often it renews', () => {
    world.run(stopRenewals(token));
    world.pass(9_000);
    expect(world.run(renew('orders/w1', token, 60_000))).toMatchObject({
      outcome: 'renewed',
      expiresAt: START_AT + 10_000,
      expiresInMs: 1_000,
      renewalsStopped: { by: 'ada' },
    });
    world.pass(1_000);
    expect(world.run(renew('orders/w1', token))).toMatchObject({
      outcome: 'lost',
      cause: 'expired',
    });
  });

  it('still lets operators extend it', () => {
    world.run(stopRenewals(token));
    world.run(extend(token, 5_000));
    expect(world.run(renew('orders/w1', token))).toMatchObject({ expiresAt: START_AT + 15_000 });
  });

  it('is applied once per action', () => {
    const first = world.run(stopRenewals(token));
    const { record } = world;
    expect(world.run(stopRenewals(token))).toEqual(first);
    expect(world.record).toBe(record);
  });
});
