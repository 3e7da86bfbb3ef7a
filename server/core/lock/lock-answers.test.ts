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
  it('a lock that was never taken finds it free', () => {
    const answer = { state: 'free', rev: 0, holders: [], waiters: [] };
    expect(inspect()).toMatchObject(answer);
  });

  it('a held lock shows its holder and its waiters, first come first', () => {
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

  it('a lapsed lease never shows it as held, whether or not anybody noticed', () => {
    const token = take(1_000);
    world.pass(1_000);
    expect(inspect()).toMatchObject({ state: 'expired', holders: [] });
    expect(inspect().minValidToken).toBeGreaterThan(token);
    world.run({ verb: 'settle' });
    expect(inspect()).toMatchObject({ state: 'expired', holders: [] });
  });

  it('a released lock finds it free', () => {
    world.run(release('orders/w1', take()));
    expect(inspect().state).toBe('free');
  });

  it('leaves out waiters whose patience is over', () => {
    take();
    world.run(acquire('orders/w2', { waitMs: 1_000 }));
    world.run(acquire('orders/w3', { waitMs: 5_000 }));
    world.pass(1_000);
    expect(inspect().waiters).toMatchObject([{ place: 1, owner: 'w3' }]);
  });

  it('changes nothing, not even what time has made due', () => {
    take(1_000);
    const before = world.record;
    world.pass(5_000);
    inspect();
    expect(world.record).toBe(before);
  });
});

describe('checking a token', () => {
  it('says yes for the live hold alone, and until its last millisecond', () => {
    const token = take(1_000);
    expect(isValid(token)).toBe(true);
    expect(isValid(token + 1)).toBe(false);
    world.pass(999);
    expect(isValid(token)).toBe(true);
    world.pass(1);
    expect(isValid(token)).toBe(false);
  });

  it('says no at once after a release', () => {
    const token = take();
    world.run(release('orders/w1', token));
    expect(isValid(token)).toBe(false);
  });
});
