import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import type { RefusalCounts, RefusedOwner } from '../statistics/refusal-counts';
import { acquire, release } from '../testing/lock-requests';
import { LockWorld } from '../testing/lock-world';
import { blockedCallers, totalBlockingMs } from './blocking-time';
import { statusFacts } from './lock-status';
import type { LockBaselines } from './stuck-reason';

/** What a lock blocks after each step, its baselines included. */
class BlockingWorld {
  readonly lock = new LockWorld();
  baselines: LockBaselines = { ownHold: null, gaveUp: null, policy: DEFAULT_POLICY };

  refuse(...owners: { owner: string; first: number; last: number }[]): void {
    const spans = owners.map(({ owner, first, last }): RefusedOwner => {
      const times = { firstAt: this.lock.now - first, lastAt: this.lock.now - last };
      return { service: 'orders', owner, attempts: 9, token: 1, ...times };
    });
    this.baselines = { ...this.baselines, refusals: countsOf(spans) };
  }

  get totalMs(): number {
    const { record, now } = this.lock;
    if (!record) throw new Error('never written');
    return totalBlockingMs(blockedCallers(statusFacts(record), this.baselines, now), now);
  }
}

function countsOf(owners: RefusedOwner[]): RefusalCounts {
  const [first] = owners;
  if (!first) throw new Error('No owner was refused.');
  const { service: _, owner: __, ...span } = first;
  const lastAt = Math.max(...owners.map((each) => each.lastAt));
  return { all: { ...span, lastAt }, owners, others: null };
}

const held = (meta: Record<string, string> = {}) => {
  const world = new BlockingWorld();
  const answer = world.lock.run(acquire('orders/w1', { leaseMs: 600_000, meta }));
  return { world, token: answer.outcome === 'granted' ? answer.token : 0 };
};

describe('total blocking time', () => {
  it('is the ages of all waits added up', () => {
    const { world } = held();
    expect(world.totalMs).toBe(0);
    world.lock.run(acquire('orders/w2', { waitMs: 60_000 }), 'p2');
    world.lock.pass(3_000);
    world.lock.run(acquire('orders/w3', { waitMs: 60_000 }), 'p3');
    world.lock.pass(1_000);
    expect(world.totalMs).toBe(4_000 + 1_000);
  });

  it('counts an owner refused within the last 60 s from its first refusal during this hold', () => {
    const { world } = held();
    world.lock.pass(100_000);
    world.refuse({ owner: 'w2', first: 90_000, last: 60_000 });
    expect(world.totalMs).toBe(90_000);
    world.lock.pass(1);
    expect(world.totalMs).toBe(0);
    world.refuse({ owner: 'w2', first: 90_000, last: 5 }, { owner: 'w3', first: 7_000, last: 0 });
    expect(world.totalMs).toBe(97_000);
  });

  it('omits what was refused before this hold', () => {
    const { world, token } = held();
    world.lock.pass(10_000);
    world.refuse({ owner: 'w2', first: 9_000, last: 1_000 });
    world.lock.run(release('orders/w1', token));
    expect(world.totalMs).toBe(0);
    world.lock.run(acquire('orders/w3', { leaseMs: 600_000 }));
    world.lock.pass(2_000);
    expect(world.totalMs).toBe(0);
    // The first refusal that is known came before this hold.
    world.refuse({ owner: 'w2', first: 11_000, last: 0 });
    expect(world.totalMs).toBe(2_000);
  });

  it('counts an owner that was refused, and waits now, once', () => {
    const { world } = held();
    world.refuse({ owner: 'w2', first: 0, last: 0 }, { owner: 'w3', first: 0, last: 0 });
    world.lock.pass(1_000);
    world.lock.run(acquire('orders/w2', { waitMs: 60_000 }), 'p2');
    world.lock.pass(2_000);
    expect(world.totalMs).toBe(2_000 + 3_000);
  });

  it('omits an owner that was refused, and holds the lock now', () => {
    const world = new BlockingWorld();
    const permit = { mode: 'permit', permits: 1, capacity: 2, leaseMs: 600_000 } as const;
    world.lock.run(acquire('orders/w1', permit));
    world.refuse({ owner: 'w2', first: 0, last: 0 });
    world.lock.pass(9_000);
    expect(world.totalMs).toBe(9_000);
    world.lock.run(acquire('orders/w2', permit));
    expect(world.totalMs).toBe(0);
    // Refused again: another part of it wants a second permit.
    world.lock.pass(1_000);
    world.refuse({ owner: 'w2', first: 0, last: 0 });
    world.lock.pass(500);
    expect(world.totalMs).toBe(500);
  });

  it('is 0 if a standby is expected, by the namespace or by the role of the holder', () => {
    const { world: leader } = held({ role: 'leader' });
    const { world: worker } = held({ role: 'worker' });
    for (const { lock } of [leader, worker]) {
      lock.run(acquire('orders/w2', { waitMs: 60_000 }), 'p2');
      lock.pass(4_000);
    }
    expect(leader.totalMs).toBe(0);
    expect(worker.totalMs).toBe(4_000);
    const policy = { ...DEFAULT_POLICY, standbyExpected: true };
    worker.baselines = { ...worker.baselines, policy };
    expect(worker.totalMs).toBe(0);
  });
});
