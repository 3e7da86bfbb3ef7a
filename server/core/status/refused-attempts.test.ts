import { describe, expect, it } from 'vitest';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import type { RefusalCounts } from '../statistics/refusal-counts';
import { acquire, askRelease, renew } from '../testing/lock-requests';
import { LockWorld } from '../testing/lock-world';
import { SECOND_MS } from '../time-units';
import { lockStatus, lockTier, statusFacts } from './lock-status';
import { type LockBaselines, stuckReason } from './stuck-reason';

/** A hold of 40 s, on a lock whose p99 is 10 s and whose limit is 30 s. */
class PolledLock {
  readonly lock = new LockWorld();
  readonly token: number;
  private baselines: LockBaselines = {
    ownHold: { p50Ms: SECOND_MS, p99Ms: 10 * SECOND_MS, count: 500 },
    gaveUp: null,
    policy: { ...DEFAULT_POLICY, stuckAfterMs: 30 * SECOND_MS },
  };

  constructor({ meta = {}, heldMs = 40 * SECOND_MS, wanted = {} } = {}) {
    const how = { leaseMs: 600 * SECOND_MS, meta, ...wanted };
    const answer = this.lock.run(acquire('orders/w1', how));
    this.token = answer.outcome === 'granted' ? answer.token : 0;
    this.lock.pass(heldMs);
  }

  set(part: Partial<LockBaselines>): this {
    this.baselines = { ...this.baselines, ...part };
    return this;
  }

  refuse(firstAgoMs: number, lastAgoMs: number): this {
    const { now } = this.lock;
    const times = { firstAt: now - firstAgoMs, lastAt: now - lastAgoMs };
    const all = { attempts: 9, token: this.token, ...times };
    const owners = [{ service: 'orders', owner: 'w2', ...all }];
    const refusals: RefusalCounts = { all, owners, others: null };
    return this.set({ refusals });
  }

  get seen() {
    if (!this.lock.record) throw new Error('never written');
    const { now } = this.lock;
    const facts = statusFacts(this.lock.record);
    const status = lockStatus(facts, this.baselines, now, true);
    const tier = lockTier(status, facts, this.baselines, now);
    return { status, tier, stuck: stuckReason(facts, this.baselines, now) };
  }
}

describe('a lock whose callers poll', () => {
  it('is stuck beyond its limit while an owner was refused within the last 60 s', () => {
    const polled = new PolledLock();
    expect(polled.seen).toEqual({ status: 'held', tier: 'normal', stuck: null });
    polled.refuse(5 * SECOND_MS, SECOND_MS);
    const since = polled.lock.now - 5 * SECOND_MS;
    expect(polled.seen).toEqual({
      status: 'stuck',
      tier: 'actNow',
      stuck: { kind: 'refusals', since, limitMs: 30 * SECOND_MS, p99Ms: null },
    });
    polled.lock.pass(59 * SECOND_MS);
    expect(polled.seen.status).toBe('stuck');
    polled.lock.pass(1);
    expect(polled.seen.status).toBe('held');
  });

  it('is stuck since it passed its limit, if the refusals began before', () => {
    const { stuck } = new PolledLock().refuse(35 * SECOND_MS, SECOND_MS).seen;
    const polled = new PolledLock();
    expect(stuck?.since).toBe(polled.lock.now - 10 * SECOND_MS);
  });

  it('is not stuck because of an owner that holds it too by now', () => {
    const permit = { mode: 'permit', permits: 1, capacity: 2 } as const;
    const polled = new PolledLock({ wanted: permit });
    polled.refuse(5 * SECOND_MS, SECOND_MS);
    expect(polled.seen).toMatchObject({ status: 'stuck', tier: 'actNow' });
    polled.lock.run(acquire('orders/w2', { ...permit, leaseMs: 600 * SECOND_MS }));
    expect(polled.seen).toEqual({ status: 'held', tier: 'normal', stuck: null });
  });

  it('is never stuck because of refusals before this hold', () => {
    expect(new PolledLock().refuse(50 * SECOND_MS, 41 * SECOND_MS).seen.stuck).toBeNull();
  });

  it('is worth watching only once it is held for longer than its own p99', () => {
    const atP99 = new PolledLock({ heldMs: 10 * SECOND_MS }).refuse(SECOND_MS, SECOND_MS);
    expect(atP99.seen).toMatchObject({ status: 'held', tier: 'normal' });
    atP99.lock.pass(1);
    expect(atP99.seen).toMatchObject({ status: 'held', tier: 'watch' });
  });
});

describe('a lock with a standby', () => {
  const policy = { ...DEFAULT_POLICY, stuckAfterMs: 30 * SECOND_MS, standbyExpected: true };
  const both = [
    ['by its namespace', () => new PolledLock().set({ policy })],
    ['by the role of its holder', () => new PolledLock({ meta: { role: 'leader' } })],
  ] as const;

  it.each(both)('that is expected %s is calm while the standby waits or polls', (_, open) => {
    const leader = open();
    leader.lock.run(acquire('orders/w2', { waitMs: 60 * SECOND_MS }), 'p2');
    expect(leader.seen).toEqual({ status: 'contended', tier: 'normal', stuck: null });
    const polled = open().refuse(5 * SECOND_MS, SECOND_MS);
    expect(polled.seen).toEqual({ status: 'held', tier: 'normal', stuck: null });
  });

  it.each(both)('that is expected %s stays calm when the standby gives up', (_, open) => {
    const leader = open();
    leader.lock.run(renew('orders/w1', leader.token, 600 * SECOND_MS));
    leader.set({ gaveUp: { at: leader.lock.now - SECOND_MS, rev: 1_000_000 } });
    expect(leader.seen.stuck).toBeNull();
  });

  it.each(both)(
    "that is expected %s is stuck like any other after an operator's request",
    (_, open) => {
      const leader = open();
      leader.lock.run(askRelease(leader.token));
      leader.lock.pass(SECOND_MS);
      leader.lock.run(renew('orders/w1', leader.token, 600 * SECOND_MS));
      leader.lock.pass(30 * SECOND_MS);
      expect(leader.seen.stuck).toMatchObject({ kind: 'idleRenewals', wish: 'asked' });
    },
  );

  it('that is not expected makes it contended and worth watching', () => {
    const worker = new PolledLock({ heldMs: 20 * SECOND_MS });
    worker.lock.run(acquire('orders/w2', { waitMs: 60 * SECOND_MS }), 'p2');
    expect(worker.seen).toMatchObject({ status: 'contended', tier: 'watch' });
  });
});
