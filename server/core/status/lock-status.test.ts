import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import { acquire, forceRelease, freeze, release, renew, unfreeze } from '../testing/lock-requests';
import { LockWorld, START_AT } from '../testing/lock-world';
import { leadingHold, lockStatus, statusFacts } from './lock-status';
import type { LockBaselines } from './stuck-reason';

const norms: LockBaselines = { ownHold: null, gaveUp: null, policy: DEFAULT_POLICY };

const world = () => {
  const lock = new LockWorld();
  const status = (reachable = true) => {
    if (!lock.record) throw new Error('never written');
    return lockStatus(statusFacts(lock.record), norms, lock.now, reachable);
  };
  const take = () => {
    const answer = lock.run(acquire('orders/w1', { leaseMs: 10_000 }));
    return answer.outcome === 'granted' ? answer.token : 0;
  };
  return { lock, status, take };
};

it('the longest wait may be that of a later waiter, if it queued again after a restart', () => {
  const { lock, take } = world();
  take();
  const ask = acquire('orders/w2', { waitMs: 60_000, requestId: 'r1' });
  lock.run(ask, 'p2');
  lock.pass(1_000);
  lock.kill('p2');
  lock.run(acquire('orders/w3', { waitMs: 60_000 }));
  lock.run(ask, 'p3');
  expect(lock.record?.queue.map(({ owner }) => owner)).toEqual(['w3', 'w2']);
  expect(lock.record && statusFacts(lock.record).oldestWaitAt).toBe(START_AT);
});

it('a lock is shown with a hold that is not released if there is one', () => {
  const { lock } = world();
  const leading = () => lock.record && leadingHold(lock.record, lock.now)?.owner;
  const take = (owner: `orders/${string}`, leaseMs: number, holdAtLeastMs = 0) => {
    const answer = lock.run(acquire(owner, { mode: 'shared', leaseMs, holdAtLeastMs }));
    return answer.outcome === 'granted' ? answer.token : 0;
  };
  const kept = take('orders/w1', 60_000, 50_000);
  const working = take('orders/w2', 20_000);
  expect(leading()).toBe('w1');
  lock.run(release('orders/w1', kept));
  expect(leading()).toBe('w2');
  lock.run(release('orders/w2', working));
  expect(leading()).toBe('w1');
  take('orders/w3', 10_000);
  lock.pass(50_000);
  expect(leading()).toBe('w3');
});

describe('the status of a lock', () => {
  it('is `free` once its last hold was released', () => {
    const { lock, status, take } = world();
    lock.run(release('orders/w1', take()));
    expect(status()).toBe('free');
  });

  it('is `held` during its lease, even if a short job never renews', () => {
    const { lock, status, take } = world();
    take();
    expect(status()).toBe('held');
    lock.pass(9_999);
    expect(status()).toBe('held');
  });

  it('is `contended` when a caller waits', () => {
    const { lock, status, take } = world();
    const token = take();
    lock.run(acquire('orders/w2', { waitMs: 60_000 }), 'p2');
    expect(status()).toBe('contended');
    lock.run(release('orders/w1', token));
    expect(status()).toBe('contended');
  });

  it('is `expiring` when under a fifth of the lease is left and renewals have stopped', () => {
    const { lock, status, take } = world();
    lock.run(renew('orders/w1', take(), 10_000));
    lock.pass(8_000);
    expect(status()).toBe('held');
    lock.pass(1);
    expect(status()).toBe('expiring');
  });

  it('is `orphaned` during the lease of a dead holder, with or without waiters', () => {
    const { lock, take } = world();
    const token = take();
    const orphaned = { token, since: lock.now, witness: 'host-4', evidence: 'gone', dead: 1 };
    const statusAt = (over = {}, reachable = true) => {
      if (!lock.record) throw new Error('never written');
      const facts = { ...statusFacts(lock.record), orphaned, ...over };
      return lockStatus(facts, norms, lock.now, reachable);
    };
    expect(statusAt()).toBe('orphaned');
    lock.run(acquire('orders/w2', { waitMs: 60_000 }), 'p2');
    expect(statusAt()).toBe('orphaned');
    expect(statusAt({ oldestWaitAt: 1 }), 'with a wait that would make it stuck').toBe('orphaned');
    expect([statusAt({ isFrozen: true }), statusAt({}, false)]).toEqual(['frozen', 'unknown']);
    lock.pass(10_000);
    expect(statusAt()).not.toBe('orphaned');
  });

  it('is `expired` from the instant at which the lease ends until the next grant', () => {
    const { lock, status, take } = world();
    take();
    lock.pass(10_000);
    expect(status()).toBe('expired');
    lock.run({ verb: 'expireAndPromote' });
    expect(status()).toBe('expired');
    lock.run(acquire('orders/w2'));
    expect(status()).toBe('held');
  });

  it('is `unknown` when its backend does not answer, whatever was last read', () => {
    const { lock, status, take } = world();
    const token = take();
    expect(status(false)).toBe('unknown');
    lock.run(release('orders/w1', token));
    expect(status(false)).toBe('unknown');
  });

  it('is `free` again an hour after a lease expired, recorded or not', () => {
    const { lock, status, take } = world();
    take();
    lock.pass(10_000 + 3_599_999);
    expect(status()).toBe('expired');
    lock.pass(1);
    expect(status()).toBe('free');
    lock.run({ verb: 'expireAndPromote' });
    expect(status()).toBe('free');
  });

  it('is `held` while it is kept after its release, never `expiring`, and then `free`', () => {
    const { lock, status } = world();
    const least = { leaseMs: 10_000, holdAtLeastMs: 10_000 };
    const answer = lock.run(acquire('orders/w1', least));
    const token = answer.outcome === 'granted' ? answer.token : 0;
    lock.pass(100);
    lock.run(renew('orders/w1', token));
    lock.run(release('orders/w1', token));
    lock.pass(9_000);
    expect(status()).toBe('held');
    lock.run(acquire('orders/w2', { waitMs: 60_000 }));
    expect(status()).toBe('contended');
    lock.pass(899);
    expect(status()).toBe('contended');
    lock.pass(1);
    expect(status()).toBe('contended');
    lock.hangUp('p1');
    lock.run({ verb: 'expireAndPromote' });
    expect(status()).toBe('free');
  });

  it('is `free` when it is no longer kept, even before that is recorded', () => {
    const { lock, status } = world();
    const answer = lock.run(acquire('orders/w1', { holdAtLeastMs: 1_000 }));
    lock.run(release('orders/w1', answer.outcome === 'granted' ? answer.token : 0));
    lock.pass(1_000);
    expect(status()).toBe('free');
    expect(lock.run({ verb: 'inspect' }).state).toBe('free');
  });

  it('is `free` then even if the hold before it had expired', () => {
    const { lock } = world();
    lock.run(acquire('orders/w0'));
    lock.pass(20_000);
    const answer = lock.run(acquire('orders/w1', { holdAtLeastMs: 1_000 }));
    lock.run(release('orders/w1', answer.outcome === 'granted' ? answer.token : 0));
    lock.pass(1_000);
    expect(lock.run({ verb: 'inspect' }).state).toBe('free');
  });

  it('is `frozen` whether held or waited for, and as before once it is unfrozen', () => {
    const { lock, status, take } = world();
    take();
    lock.run(freeze());
    expect(status()).toBe('frozen');
    lock.run(unfreeze());
    expect(status()).toBe('held');
  });

  it('is `delayed` during the lock delay after a lost hold', () => {
    const { lock, status, take } = world();
    lock.policy = { ...lock.policy, lockDelayMs: 5_000 };
    lock.run(forceRelease(take()));
    expect(status()).toBe('delayed');
    lock.pass(5_000);
    expect(status()).toBe('free');
  });

  it('of a shared lock is `held` until the last lease ends, and `expiring` if one is', () => {
    const { lock, status } = world();
    const one = lock.run(acquire('orders/r1', { mode: 'shared' }));
    lock.run(acquire('orders/r2', { mode: 'shared', leaseMs: 60_000 }));
    lock.run(renew('orders/r1', one.outcome === 'granted' ? one.token : 0, 10_000));
    lock.pass(8_001);
    expect(status()).toBe('expiring');
    lock.pass(2_000);
    expect(status()).toBe('held');
    lock.pass(50_000);
    expect(status()).toBe('expired');
  });
});
