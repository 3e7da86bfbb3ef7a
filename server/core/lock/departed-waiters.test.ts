import { describe, expect, it } from 'vitest';
import { IDLE_MS, lockDeletion } from '../deletion/deletion';
import { acquire, cancel, detach, giveUp, release } from '../testing/lock-requests';
import { LockWorld } from '../testing/lock-world';
import { MultiLockWorld, multiLockOf } from '../testing/multi-lock-world';
import { ANSWER_RETENTION_MS, DETACHED_MS } from '../timing';
import { DEPARTED_MAX } from './lock-record';

const LEASE_MS = 3_600_000;

/**
 * A lock that is held, and where callers of process p1 have waited for 5 s when it dies.
 *
 * @param firstAt the process where an earlier call of each is open; absent: none is
 */
function afterCrash(count: number, waitMs = 60_000, firstAt = 'p1') {
  const world = new LockWorld();
  world.policy = { queueLimit: 1_000, lockDelayMs: 0 };
  const holder = world.run(acquire('orders/holder', { leaseMs: LEASE_MS }), 'p0');
  if (holder.outcome !== 'granted') throw new Error(holder.outcome);
  const asks = Array.from({ length: count }, (_, i) =>
    acquire(`orders/w${i}`, { waitMs, requestId: 'r' }),
  );
  for (const ask of asks) for (const process of [firstAt, 'p1']) world.run(ask, process);
  world.pass(5_000);
  world.kill('p1');
  return { world, asks, free: () => world.run(release('orders/holder', holder.token), 'p0') };
}

describe('waiters whose process died', () => {
  it('keep their age and their timeout when they ask again, and queue in the new order', () => {
    const { world, asks, free } = afterCrash(3);
    world.pass(1_000);
    for (const ask of asks.toReversed()) {
      expect(world.run(ask, 'p2')).toMatchObject({ outcome: 'queued', patienceLeftMs: 54_000 });
    }
    expect(world.record?.queue.map(({ owner }) => owner)).toEqual(['w2', 'w1', 'w0']);
    expect(world.record?.departed).toEqual([]);
    free();
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(world.record?.holds).toMatchObject([{ owner: 'w2', waitedMs: 6_000 }]);
  });

  it('keep their places where an earlier call of their request is still open', () => {
    const { world, free } = afterCrash(3, 60_000, 'p2');
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(world.record?.queue).toMatchObject([
      { owner: 'w0', ticket: 1, process: 'p2', enqueuedAt: world.now - 5_000 },
      { owner: 'w1', ticket: 2, process: 'p2' },
      { owner: 'w2', ticket: 3, process: 'p2' },
    ]);
    free();
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(world.record?.holds).toMatchObject([{ owner: 'w0', waitedMs: 5_000 }]);
  });

  it('time out where an earlier call of their request is still open', () => {
    const { world } = afterCrash(1, 5_000, 'p2');
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(world.record?.queue).toEqual([]);
  });

  it('have waited since their first request if the lock is free when they ask again', () => {
    const { world, asks, free } = afterCrash(2);
    free();
    const [first] = asks;
    if (!first) return expect.unreachable();
    expect(world.run(first, 'p2')).toMatchObject({ outcome: 'granted', waitedMs: 5_000 });
    expect(world.record?.departed).toHaveLength(1);
  });

  it('time out if they ask again too late', () => {
    const { world, asks } = afterCrash(2, 8_000);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    world.pass(3_000);
    for (const ask of asks) expect(world.run(ask, 'p2').outcome).toBe('timeout');
  });

  it('time out if they ask again, even if no process noticed their timeout', () => {
    const { world, asks } = afterCrash(2, 8_000);
    world.pass(3_000);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    for (const ask of asks) expect(world.run(ask, 'p2').outcome).toBe('timeout');
  });

  it('are not granted by a decision that is written after their timeout', () => {
    const { world, asks, free } = afterCrash(1, 8_000);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    free();
    const [ask] = asks;
    if (!ask) return expect.unreachable();
    const stalled = world.propose(ask, 'p2');
    expect(stalled.decision.answer.outcome).toBe('granted');
    world.pass(3_000);
    expect(world.run(ask, 'p3').outcome).toBe('timeout');
    expect(world.write(stalled)).toBe(false);
  });

  it('have timed out for as long as an answer is stored, although the lock is free by then', () => {
    const { world, asks, free } = afterCrash(2, 8_000);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    free();
    world.pass(3_000 + ANSWER_RETENTION_MS - 1);
    for (const ask of asks) expect(world.run(ask, 'p2').outcome).toBe('timeout');
  });

  it('have timed out for good, even if their owner holds the lock by then', () => {
    const { world, free } = afterCrash(0);
    const ask = acquire('orders/w0', { waitMs: 8_000, requestId: 'r', reentrant: true });
    world.run(ask, 'p3');
    world.kill('p3');
    world.pass(8_000);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    free();
    world.run(acquire('orders/w0', { leaseMs: LEASE_MS }), 'p2');
    expect(world.run(ask, 'p2').outcome).toBe('timeout');
    expect(world.record?.holds).toMatchObject([{ owner: 'w0', count: 1 }]);
  });

  it('start a new wait if they ask with another input, or once they are forgotten', () => {
    const { world, asks } = afterCrash(2);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    const other = acquire('orders/w1', { waitMs: 70_000, requestId: 'r' });
    expect(world.run(other, 'p2')).toMatchObject({ outcome: 'queued', patienceLeftMs: 70_000 });
    world.pass(60_000 + ANSWER_RETENTION_MS);
    const [first] = asks;
    if (!first) return expect.unreachable();
    expect(world.run(first, 'p2')).toMatchObject({ outcome: 'queued', patienceLeftMs: 60_000 });
    expect(world.record?.departed).toEqual([]);
  });

  it('may return although the policy now forbids their request; a new one is refused', () => {
    const { world, asks } = afterCrash(1);
    const outsidePolicy = { sentence: 'waitMs must be at most 1000 in namespace billing.' };
    world.run({ verb: 'expireAndPromote' }, 'p3');
    for (const ask of asks) {
      const answer = world.run({ ...ask, outsidePolicy }, 'p2');
      expect(answer).toMatchObject({ outcome: 'queued', patienceLeftMs: 55_000 });
      world.run(detach(ask), 'p2');
      world.pass(DETACHED_MS);
      world.run({ verb: 'expireAndPromote' }, 'p3');
      const again = world.run({ ...ask, outsidePolicy }, 'p2');
      expect(again).toMatchObject({ outcome: 'queued', ticket: 3, patienceLeftMs: 53_000 });
    }
    const other = acquire('orders/other', { waitMs: 60_000, requestId: 'r' });
    const refused = expect.objectContaining({ reason: 'INVALID', message: outsidePolicy.sentence });
    expect(() => world.run({ ...other, outsidePolicy }, 'p2')).toThrow(refused);
  });

  it('may return to a queue that others have filled meanwhile', () => {
    const { world, asks } = afterCrash(3);
    world.policy = { queueLimit: 2, lockDelayMs: 0 };
    for (const i of [1, 2]) world.run(acquire(`orders/new${i}`, { waitMs: 60_000 }), 'p2');
    const late = acquire('orders/late', { waitMs: 60_000 });
    expect(world.run(late, 'p2')).toMatchObject({ outcome: 'queueFull', queueLength: 2 });
    for (const ask of asks) {
      expect(world.run(ask, 'p2')).toMatchObject({ outcome: 'queued', patienceLeftMs: 55_000 });
    }
    expect(world.run(late, 'p2')).toMatchObject({ outcome: 'queueFull', queueLength: 5 });
  });

  it('find it full beyond a bound, and keep their age and timeout for the next attempt', () => {
    const { world, asks } = afterCrash(DEPARTED_MAX);
    const late = acquire('orders/late', { waitMs: 60_000, requestId: 'r' });
    world.run(late, 'p2');
    world.run(detach(late), 'p2');
    world.pass(DETACHED_MS);
    world.policy = { queueLimit: 0, lockDelayMs: 0 };
    for (const ask of asks) world.run(ask, 'p2');
    const full = { outcome: 'queueFull', queueLength: DEPARTED_MAX };
    expect(world.run(late, 'p2')).toMatchObject(full);
    const [first] = asks;
    if (!first) return expect.unreachable();
    world.run(giveUp(first), 'p2');
    expect(world.run(late, 'p2')).toMatchObject({ outcome: 'queued', patienceLeftMs: 58_000 });
  });

  it('are cancelled for good', () => {
    const { world, asks, free } = afterCrash(2);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(world.run(cancel('orders/w0', 'r'), 'p2')).toEqual({ outcome: 'cancelled' });
    expect(world.run(cancel('orders/w0', 'r'), 'p2')).toEqual({ outcome: 'none' });
    free();
    const outcomes = asks.map((ask) => world.run(ask, 'p2').outcome);
    expect(outcomes).toEqual(['timeout', 'granted']);
  });

  it('can be cancelled only by their own owner', () => {
    const { world, asks, free } = afterCrash(1);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    const byOther = { ...cancel('orders/w0', 'r'), owner: 'w1' };
    expect(world.run(byOther, 'p2')).toEqual({ outcome: 'none' });
    const [ask] = asks;
    if (!ask) return expect.unreachable();
    expect(world.run(ask, 'p2')).toMatchObject({ outcome: 'queued', patienceLeftMs: 55_000 });
    // Between two calls it is remembered in another way.
    world.run(detach(ask), 'p2');
    world.pass(DETACHED_MS);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(world.run(byOther, 'p2')).toEqual({ outcome: 'none' });
    free();
    expect(world.run(ask, 'p2')).toMatchObject({ outcome: 'granted' });
  });

  it('are forgotten beyond a bound: first the first to leave, then the shortest waits', () => {
    const { world } = afterCrash(DEPARTED_MAX + 1);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(world.record?.departed).toHaveLength(DEPARTED_MAX);
    const oldest = world.record?.departed[0];
    const ask = acquire('orders/late', { waitMs: 60_000, requestId: 'r' });
    world.run(ask, 'p3');
    world.kill('p3');
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(world.record?.departed).toHaveLength(DEPARTED_MAX);
    expect(world.record?.departed[1]).toEqual(oldest);
  });

  it('keep their record from being deleted for as long as they are remembered', () => {
    const { world, free } = afterCrash(1);
    free();
    world.run({ verb: 'expireAndPromote' }, 'p2');
    const { record, now } = world;
    const until = record?.departed[0]?.until ?? 0;
    expect(until).toBe(now + 55_000 + ANSWER_RETENTION_MS);
    if (!record) return expect.unreachable();
    expect(lockDeletion(record, 1, now)).toMatchObject({ keptBecause: 'answersKept' });
    expect(lockDeletion(record, 1, now + IDLE_MS).notBefore).toBeGreaterThanOrEqual(until);
  });
});

describe('a waiter that timed out while another process decided', () => {
  const timedOut = () => {
    const world = new LockWorld();
    world.run(acquire('orders/holder', { leaseMs: LEASE_MS }), 'p0');
    const ask = acquire('orders/w', { waitMs: 2_000, requestId: 'r' });
    world.run(ask, 'p1');
    world.pass(2_000);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(world.record?.queue).toEqual([]);
    return { world, ask };
  };

  it('has timed out for good, whichever process is asked again', () => {
    const { world, ask } = timedOut();
    expect(world.run(giveUp(ask), 'p1').outcome).toBe('timeout');
    for (const process of ['p1', 'p2']) expect(world.run(ask, process).outcome).toBe('timeout');
  });

  it('takes no place from those that still wait', () => {
    const { world, ask } = timedOut();
    for (let i = 0; i < DEPARTED_MAX; i += 1) {
      world.run(acquire(`orders/late${i}`, { waitMs: 60_000, requestId: 'r' }), 'p3');
    }
    world.kill('p3');
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(world.record?.departed).toHaveLength(DEPARTED_MAX);
    expect(world.run(ask, 'p1').outcome).toBe('queued');
  });

  it('takes no place from those that left before it and still wait', () => {
    const { world } = afterCrash(DEPARTED_MAX);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    const stillWaiting = world.record?.departed;
    world.run(acquire('orders/late', { waitMs: 2_000, requestId: 'r' }), 'p3');
    world.pass(2_000);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(world.record?.queue).toEqual([]);
    expect(world.record?.departed).toEqual(stillWaiting);
  });
});

describe('a multi-lock whose process died while it waited', () => {
  const crashed = (waitMs = 60_000) => {
    const world = new MultiLockWorld();
    const holder = world.run('b', acquire('orders/x', { leaseMs: LEASE_MS }), 'p0');
    if (holder.outcome !== 'granted') throw new Error(holder.outcome);
    const ask = multiLockOf('ab', { waitMs, requestId: 'r' });
    world.runSet(ask, 'p1');
    world.now += 5_000;
    world.kill('p1');
    world.run('b', { verb: 'expireAndPromote' }, 'p2');
    expect(world.queueOf('b')).toEqual([]);
    return { world, ask, token: holder.token };
  };

  it('keeps its age and its timeout when it asks again', () => {
    const { world, ask, token } = crashed();
    expect(world.runSet(ask, 'p2')).toMatchObject({ outcome: 'queued', patienceLeftMs: 55_000 });
    world.now += 1_000;
    world.run('b', release('orders/x', token), 'p2');
    const answer = world.runSet(ask, 'p2');
    expect(answer).toMatchObject({
      outcome: 'granted',
      grants: [
        { name: 'a', waitedMs: 6_000 },
        { name: 'b', waitedMs: 6_000 },
      ],
    });
  });

  it('has timed out for good, even if its backend grants nothing by then', () => {
    const { world, ask } = crashed();
    world.now += 55_000;
    world.policy = { ...world.policy, closedBecause: 'This server takes no writes.' };
    expect(world.runSet(ask, 'p2').outcome).toBe('timeout');
  });

  it('keeps its age if its locks are free when it asks again', () => {
    const { world, ask, token } = crashed();
    world.run('b', release('orders/x', token), 'p2');
    const answer = world.runSet(ask, 'p2');
    expect(answer).toMatchObject({ outcome: 'granted', grants: [{ waitedMs: 5_000 }, {}] });
    expect(world.records.get('b')?.departed).toEqual([]);
  });

  it('times out if it asks again too late', () => {
    const { world, ask } = crashed(8_000);
    world.now += 3_000;
    expect(world.runSet(ask, 'p2')).toMatchObject({
      outcome: 'timeout',
      blockedBy: [{ name: 'b' }],
    });
    expect(world.queueOf('b')).toEqual([]);
  });

  it('is not granted by a decision that is written after its timeout', () => {
    const { world, ask, token } = crashed(8_000);
    world.run('b', release('orders/x', token), 'p2');
    const stalled = world.propose(ask, 'p2');
    expect(stalled.decision.answer.outcome).toBe('granted');
    world.now += 3_000;
    expect(world.runSet(ask, 'p3').outcome).toBe('timeout');
    expect(world.finish(stalled)).toBe(false);
  });

  it('may return although there is no room left for new names', () => {
    const { world, ask } = crashed();
    world.policy = { ...world.policy, fullBecause: 'The namespace is full.' };
    const answer = world.runSet(ask, 'p2');
    expect(answer).toMatchObject({ outcome: 'queued', patienceLeftMs: 55_000 });
    const other = multiLockOf('ab', { waitMs: 60_000, requestId: 'other' });
    const refused = expect.objectContaining({ reason: 'NAMESPACE_FULL' });
    expect(() => world.runSet(other, 'p2')).toThrow(refused);
  });

  it('is cancelled for good', () => {
    const { world, ask } = crashed();
    const { service, owner, request } = ask;
    const names = ['a', 'b'];
    const undo = { verb: 'cancelSet' as const, service, owner, names, request };
    expect(world.runSet({ ...undo, owner: 'w2' }, 'p2')).toEqual({ outcome: 'none' });
    expect(world.runSet(undo, 'p2')).toEqual({ outcome: 'cancelled' });
    expect(world.runSet(undo, 'p2')).toEqual({ outcome: 'none' });
    expect(world.runSet(ask, 'p2')).toMatchObject({ outcome: 'timeout' });
  });

  it('may return although the policy now forbids its request', () => {
    const { world, ask } = crashed();
    const outsidePolicy = { sentence: 'waitMs must be at most 1000 in namespace billing.' };
    const answer = world.runSet({ ...ask, outsidePolicy }, 'p2');
    expect(answer).toMatchObject({ outcome: 'queued', patienceLeftMs: 55_000 });
  });

  it('keeps its age even if it lost its place between two requests', () => {
    const world = new MultiLockWorld();
    world.run('b', acquire('orders/x', { leaseMs: LEASE_MS }), 'p0');
    const ask = multiLockOf('ab', { waitMs: 60_000, requestId: 'r' });
    world.runSet(ask, 'p1');
    world.run('b', { verb: 'detach', request: { ...ask.request, remembered: false } }, 'p1');
    world.now += 5_000;
    world.run('b', { verb: 'expireAndPromote' }, 'p2');
    expect(world.runSet(ask, 'p2')).toMatchObject({ outcome: 'queued', patienceLeftMs: 55_000 });
  });
});
