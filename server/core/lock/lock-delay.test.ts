import { beforeEach, describe, expect, it } from 'vitest';
import { acquire, forceRelease, release } from '../testing/lock-requests';
import { LockWorld } from '../testing/lock-world';

let world: LockWorld;

beforeEach(() => {
  world = new LockWorld();
  world.policy = { ...world.policy, lockDelayMs: 3_000 };
});

const take = (leaseMs = 10_000) => {
  const answer = world.run(acquire('orders/w1', { leaseMs }));
  return answer.outcome === 'granted' ? answer.token : 0;
};
const PATIENT = { waitMs: 60_000 };

describe('the lock-delay', () => {
  it('keeps all callers from the lock after a lease has expired, counted from its end', () => {
    take(1_000);
    world.pass(2_000);
    expect(world.run(acquire('orders/w2'))).toMatchObject({ outcome: 'held', retryAfterMs: 2_000 });
    expect(world.run({ verb: 'inspect' })).toMatchObject({
      state: 'delayed',
      delayedUntil: world.now + 2_000,
    });
    world.pass(1_999);
    expect(world.run(acquire('orders/w2')).outcome).toBe('held');
    world.pass(1);
    expect(world.run(acquire('orders/w2')).outcome).toBe('granted');
    expect(world.record?.delayedUntil).toBe(0);
  });

  it('keeps the first waiter from the lock after a force-release, and then grants it', () => {
    const token = take();
    world.run(acquire('orders/w2', PATIENT));
    expect(world.run(forceRelease(token))).toMatchObject({ next: { kind: 'nobody' } });
    world.pass(2_999);
    world.run({ verb: 'expireAndPromote' });
    expect(world.record?.holds).toEqual([]);
    world.pass(1);
    world.run({ verb: 'expireAndPromote' });
    expect(world.record?.holds).toMatchObject([{ owner: 'w2' }]);
  });

  it('does not follow a normal release', () => {
    world.run(release('orders/w1', take()));
    expect(world.run(acquire('orders/w2')).outcome).toBe('granted');
  });

  it('also follows the loss of one of several readers', () => {
    const token = take();
    world.run(release('orders/w1', token));
    world.run(acquire('orders/r1', { mode: 'shared', leaseMs: 1_000 }));
    world.run(acquire('orders/r2', { mode: 'shared' }));
    world.pass(1_000);
    expect(world.run(acquire('orders/r3', { mode: 'shared' })).outcome).toBe('held');
    world.pass(3_000);
    expect(world.run(acquire('orders/r3', { mode: 'shared' })).outcome).toBe('granted');
  });

  it('costs no waiter its place: an offer that it interrupts is repeated', () => {
    take();
    world.run(release('orders/w1', world.record?.lastToken ?? 0));
    world.run(acquire('orders/r1', { mode: 'shared', leaseMs: 1_000 }));
    const writer = acquire('orders/w', PATIENT);
    world.run(writer, 'p2');
    world.pass(1_000);
    world.run({ verb: 'expireAndPromote' });
    expect(world.record?.queue).toHaveLength(1);
    world.pass(3_000);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(world.record?.holds).toMatchObject([{ owner: 'w' }]);
  });

  it('is compared by the store: a grant decided too soon is not written', () => {
    take(1_000);
    world.pass(1_000);
    const early = world.propose(acquire('orders/w2'), 'p1', 3_500);
    expect(early.decision.answer.outcome).toBe('granted');
    expect(world.write(early)).toBe(false);
  });
});
