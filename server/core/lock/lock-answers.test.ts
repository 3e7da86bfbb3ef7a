import { beforeEach, describe, expect, it } from 'vitest';
import { acquire, release } from '../testing/lock-requests';
import { LockWorld, START_AT } from '../testing/lock-world';

let world: LockWorld;

beforeEach(() => {
  world = new LockWorld();
});

const take = (leaseMs = 10_000) => {
  const answer = world.run(acquire('orders/w1', { leaseMs }));
  return answer.outcome === 'granted' ? answer.token : 0;
};
const inspect = () => world.run({ verb: 'inspect' });
const isValid = (token: number) => world.run({ verb: 'check', token }).valid;

describe('inspecting', () => {
  it('finds a lock that was never acquired free', () => {
    const answer = { state: 'free', rev: 0, holders: [], waiters: [] };
    expect(inspect()).toMatchObject(answer);
  });

  it('shows the holder of a held lock, and its waiters in order', () => {
    const token = take();
    world.run(acquire('orders/w2', { waitMs: 5_000 }));
    world.pass(1_000);
    world.run(acquire('billing/w3', { waitMs: 5_000 }));
    expect(inspect()).toEqual({
      state: 'held',
      rev: world.record?.rev,
      holders: [
        {
          owner: 'w1',
          service: 'orders',
          token,
          mode: 'exclusive',
          holdCount: 1,
          grantedAt: START_AT,
          expiresAt: START_AT + 10_000,
          expiresInMs: 9_000,
        },
      ],
      waiters: [
        {
          place: 1,
          ticket: 1,
          mode: 'exclusive',
          owner: 'w2',
          service: 'orders',
          enqueuedAt: START_AT,
          waitedMs: 1_000,
          patienceLeftMs: 4_000,
        },
        {
          place: 2,
          ticket: 2,
          mode: 'exclusive',
          owner: 'w3',
          service: 'billing',
          enqueuedAt: START_AT + 1_000,
          waitedMs: 0,
          patienceLeftMs: 5_000,
        },
      ],
      minValidToken: token,
    });
  });

  it('never shows a lock with an expired lease as held, even before any process notices', () => {
    const token = take(1_000);
    world.pass(1_000);
    expect(inspect()).toMatchObject({ state: 'expired', holders: [] });
    expect(inspect().minValidToken).toBeGreaterThan(token);
    world.run({ verb: 'expireAndPromote' });
    expect(inspect()).toMatchObject({ state: 'expired', holders: [] });
  });

  it('finds a released lock free', () => {
    world.run(release('orders/w1', take()));
    expect(inspect().state).toBe('free');
  });

  it('omits waiters whose patience is over', () => {
    take();
    world.run(acquire('orders/w2', { waitMs: 1_000 }));
    world.run(acquire('orders/w3', { waitMs: 5_000 }));
    world.pass(1_000);
    expect(inspect().waiters).toMatchObject([{ place: 1, owner: 'w3' }]);
  });

  it('changes nothing, not even what is due by now', () => {
    take(1_000);
    const before = world.record;
    world.pass(5_000);
    inspect();
    expect(world.record).toBe(before);
  });
});

describe('checking a token', () => {
  it('accepts only that of the live hold, up to its last millisecond', () => {
    const token = take(1_000);
    expect(isValid(token)).toBe(true);
    expect(isValid(token + 1)).toBe(false);
    world.pass(999);
    expect(isValid(token)).toBe(true);
    world.pass(1);
    expect(isValid(token)).toBe(false);
  });

  it('refuses it immediately after a release', () => {
    const token = take();
    world.run(release('orders/w1', token));
    expect(isValid(token)).toBe(false);
  });
});
