import { describe, expect, it } from 'vitest';
import type { Granted } from '../../contract/lock/answers';
import type { MultiLockGranted } from '../../contract/multi-lock';
import { DEPARTED_MAX, SHARED_MAX } from '../lock/lock-record';
import { acquire, freeze, giveUp, reassign, release, renew } from '../testing/lock-requests';
import { MultiLockWorld, multiLockOf } from '../testing/multi-lock-world';

const take = (
  world: MultiLockWorld,
  name: string,
  caller: `${string}/${string}`,
  process?: string,
) => world.run(name, acquire(caller), process) as Granted;

const granted = (answer: unknown) => {
  expect(answer).toMatchObject({ outcome: 'granted' });
  return (answer as MultiLockGranted).grants;
};

describe('a multi-lock that finds its locks free', () => {
  it('is granted all, each an ordinary hold with its own token, marked as one multi-lock', () => {
    const world = new MultiLockWorld();
    const grants = granted(world.runSet(multiLockOf('cab')));
    expect(grants.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    const holds = ['a', 'b', 'c'].map((name) => world.records.get(name)?.holds[0]);
    expect(holds.map((hold) => hold?.set?.size)).toEqual([3, 3, 3]);
    expect(new Set(holds.map((hold) => hold?.set?.id)).size).toBe(1);
    for (const { name, token } of grants) {
      expect(world.run(name, release('orders/w1', token))).toEqual({ outcome: 'released' });
    }
  });

  it('acquires shared and exclusive locks together', () => {
    const world = new MultiLockWorld();
    world.run('a', acquire('orders/r', { mode: 'shared' }));
    granted(world.runSet(multiLockOf('ab', { modes: { a: 'shared' } })));
    expect(world.holdersOf('a')).toEqual(['r', 'w1']);
    expect(world.runSet(multiLockOf('ab', { owner: 'w2' }))).toMatchObject({
      outcome: 'held',
      blockedBy: [
        { name: 'a', holders: [{ owner: 'r' }, { owner: 'w1', set: { size: 2 } }] },
        { name: 'b' },
      ],
    });
  });
});

describe('a multi-lock that finds a lock held', () => {
  it('without patience acquires and changes nothing', () => {
    const world = new MultiLockWorld();
    take(world, 'b', 'orders/x');
    const before = new Map(world.records);
    expect(world.runSet(multiLockOf('abc'))).toMatchObject({
      outcome: 'held',
      blockedBy: [{ name: 'b', state: 'held', holders: [{ owner: 'x' }], queueLength: 0 }],
      retryAfterMs: 5_000,
    });
    expect(world.records).toEqual(before);
  });

  it('is blocked by its own owner as by any other', () => {
    const world = new MultiLockWorld();
    take(world, 'b', 'orders/w1');
    expect(world.runSet(multiLockOf('ab'))).toMatchObject({
      outcome: 'held',
      blockedBy: [{ name: 'b' }],
    });
  });

  it('is answered `frozen`, or waits at a frozen lock if it has patience', () => {
    const world = new MultiLockWorld();
    world.run('b', freeze('a repair'));
    expect(world.runSet(multiLockOf('ab'))).toEqual({
      outcome: 'frozen',
      name: 'b',
      reason: 'a repair',
    });
    expect(world.runSet(multiLockOf('ab', { waitMs: 100 }))).toMatchObject({
      outcome: 'queued',
      name: 'b',
    });
  });

  it('holds nothing while it waits: others may acquire the free locks', () => {
    const world = new MultiLockWorld();
    take(world, 'b', 'orders/x');
    const queued = world.runSet(multiLockOf('abc', { waitMs: 5_000 }));
    expect(queued).toMatchObject({ outcome: 'queued', name: 'b', place: 1, patienceLeftMs: 5_000 });
    expect(take(world, 'a', 'orders/y').outcome).toBe('granted');
    expect(take(world, 'c', 'orders/y').outcome).toBe('granted');
  });

  it('is refused if the queue of that lock is full', () => {
    const world = new MultiLockWorld();
    world.policy = { queueLimit: 1, lockDelayMs: 0 };
    take(world, 'b', 'orders/x');
    world.run('b', acquire('orders/y', { waitMs: 100 }));
    const answer = world.runSet(multiLockOf('ab', { waitMs: 100 }));
    expect(answer).toMatchObject({ outcome: 'queueFull', name: 'b', queueLength: 1 });
  });
});

describe('a multi-lock whose turn comes', () => {
  it('is offered the lock, never granted it alone, and acquires all of them when it asks', () => {
    const world = new MultiLockWorld();
    const { token } = take(world, 'b', 'orders/x');
    const set = multiLockOf('ab', { waitMs: 5_000 });
    world.runSet(set);
    world.now += 700;
    world.run('b', release('orders/x', token));
    expect(world.records.get('b')).toMatchObject({ holds: [], offers: [{ ticket: 1 }] });
    const grants = granted(world.runSet(set));
    expect(grants.map(({ waitedMs }) => waitedMs)).toEqual([700, 700]);
    expect(world.queueOf('b')).toEqual([]);
  });

  it('moves to the queue of the lock that blocks it now, with its remaining patience', () => {
    const world = new MultiLockWorld();
    const b = take(world, 'b', 'orders/x');
    const set = multiLockOf('ab', { waitMs: 5_000 });
    world.runSet(set);
    world.run('b', acquire('orders/next', { waitMs: 5_000 }));
    take(world, 'a', 'orders/y');
    world.now += 1_000;
    world.run('b', release('orders/x', b.token));
    expect(world.runSet(set)).toMatchObject({
      outcome: 'queued',
      name: 'a',
      patienceLeftMs: 4_000,
    });
    expect(world.holdersOf('b')).toEqual(['next']);
    expect(world.queueOf('a')).toEqual(['w1']);
  });

  it('cannot be reassigned one of its locks alone, and does not overtake a waiter that was', () => {
    const world = new MultiLockWorld();
    const { token } = take(world, 'a', 'orders/x');
    world.runSet(multiLockOf('ab', { waitMs: 60_000, requestId: 'm' }));
    world.run('a', acquire('orders/w9', { waitMs: 60_000 }), 'p2');
    const [multi, single] = world.records.get('a')?.queue ?? [];
    expect(world.run('a', reassign(token, multi?.ticket ?? 0, '1'))).toMatchObject({
      outcome: 'notReassigned',
      obstacle: 'multiLock',
    });
    expect(world.run('a', reassign(token, single?.ticket ?? 0, '2'))).toMatchObject({
      next: { kind: 'offered', owner: 'w9' },
    });
    const again = world.runSet(multiLockOf('ab', { waitMs: 60_000, requestId: 'm' }));
    expect(again).toMatchObject({ outcome: 'queued' });
    expect(world.run('a', { verb: 'expireAndPromote' }, 'p2')).toEqual({ outcome: 'done' });
    expect(world.holdersOf('a')).toEqual(['w9']);
  });

  it('records the end of a lease that it reports as expired', () => {
    const world = new MultiLockWorld();
    world.policy = { queueLimit: 200, lockDelayMs: 5_000 };
    world.run('a', acquire('orders/x', { leaseMs: 1_000 }));
    world.now += 1_000;
    const answer = world.runSet(multiLockOf('ab'));
    expect(answer).toMatchObject({ outcome: 'held', blockedBy: [{ name: 'a', state: 'expired' }] });
    expect(world.records.get('a')).toMatchObject({ holds: [], ended: { cause: 'expired' } });
  });

  describe('a multi-lock that moves to a full queue', () => {
    /** It waits at b; then a is held, with so many waiters, and b is released. */
    const blockedAt = (names: string, waiters: number) => {
      const world = new MultiLockWorld();
      world.policy = { queueLimit: 1_000, lockDelayMs: 0 };
      const b = take(world, 'b', 'orders/x');
      const set = multiLockOf(names, { waitMs: 5_000, requestId: 'r1' });
      world.runSet(set);
      take(world, 'a', 'orders/y');
      const asks = Array.from({ length: waiters }, (_, i) =>
        acquire(`orders/w${i}`, { waitMs: 60_000 }),
      );
      for (const ask of asks) world.run('a', ask);
      world.now += 1_000;
      world.run('b', release('orders/x', b.token));
      return { world, set, asks };
    };

    it('gets a place there before newcomers do', () => {
      const { world, set } = blockedAt('ab', 2);
      world.policy = { queueLimit: 2, lockDelayMs: 0 };
      const late = acquire('orders/late', { waitMs: 100 });
      expect(world.run('a', late)).toMatchObject({ outcome: 'queueFull' });
      const moved = { outcome: 'queued', name: 'a', place: 3, patienceLeftMs: 4_000 };
      expect(world.runSet(set)).toMatchObject(moved);
      expect(world.queueOf('b')).toEqual([]);
    });

    it('waits at another lock that blocks it', () => {
      const { world, set } = blockedAt('abc', DEPARTED_MAX);
      take(world, 'c', 'orders/z');
      world.policy = { queueLimit: 0, lockDelayMs: 0 };
      const moved = { outcome: 'queued', name: 'c', place: 1, patienceLeftMs: 4_000 };
      expect(world.runSet(set)).toMatchObject(moved);
    });

    it('keeps its age and its timeout for the next attempt if there is none', () => {
      const { world, set, asks } = blockedAt('ab', DEPARTED_MAX);
      world.policy = { queueLimit: 0, lockDelayMs: 0 };
      const full = { outcome: 'queueFull', name: 'a', queueLength: DEPARTED_MAX };
      expect(world.runSet(set)).toMatchObject(full);
      expect(world.queueOf('b')).toEqual([]);
      expect(world.runSet(set)).toMatchObject(full);
      const [first] = asks;
      if (!first) return expect.unreachable();
      world.run('a', giveUp(first));
      world.now += 500;
      const queued = { outcome: 'queued', name: 'a', patienceLeftMs: 3_500 };
      expect(world.runSet(set)).toMatchObject(queued);
    });
  });

  it('does not overtake a single acquire that waits', () => {
    const world = new MultiLockWorld();
    const b = take(world, 'b', 'orders/x');
    world.run('b', acquire('orders/single', { waitMs: 5_000 }), 'p2');
    const set = multiLockOf('ab', { waitMs: 5_000 });
    world.runSet(set);
    world.run('b', release('orders/x', b.token), 'p1');
    expect(world.runSet(set)).toMatchObject({ outcome: 'queued', name: 'b', place: 2 });
    expect(world.runSet(multiLockOf('ab', { owner: 'w9' }))).toMatchObject({ outcome: 'held' });
  });

  it('does not overtake a waiting writer, even if it only wants to share', () => {
    const world = new MultiLockWorld();
    world.run('a', acquire('orders/reader', { mode: 'shared' }));
    world.run('a', acquire('orders/writer', { waitMs: 5_000 }));
    const set = multiLockOf('ab', { modes: { a: 'shared' } });
    expect(world.runSet(set)).toMatchObject({ outcome: 'held', blockedBy: [{ name: 'a' }] });
  });

  it('takes a lock that was only offered to a younger multi-lock', () => {
    const world = new MultiLockWorld();
    const [b, c] = [take(world, 'b', 'orders/x'), take(world, 'c', 'orders/x')];
    const old = multiLockOf('bc', { owner: 'old', waitMs: 5_000 });
    const young = multiLockOf('cd', { owner: 'young', waitMs: 5_000 });
    world.runSet(old);
    world.now += 1;
    world.runSet(young, 'p2');
    world.run('b', release('orders/x', b.token));
    world.run('c', release('orders/x', c.token));
    expect(world.records.get('c')?.offers).toHaveLength(1);
    granted(world.runSet(old));
    expect(world.runSet(young, 'p2')).toMatchObject({ outcome: 'queued', name: 'c', place: 1 });
  });

  it('records that an offer was revoked for it', () => {
    const world = new MultiLockWorld();
    const [b, c] = [take(world, 'b', 'orders/x'), take(world, 'c', 'orders/x')];
    const old = multiLockOf('bc', { owner: 'old', waitMs: 5_000 });
    world.runSet(old);
    world.now += 1;
    world.runSet(multiLockOf('cd', { owner: 'young', waitMs: 5_000 }), 'p2');
    world.run('b', release('orders/x', b.token));
    world.run('c', release('orders/x', c.token));
    const { changes } = world.propose(old).decision;
    const recorded = changes.find(({ name }) => name === 'c')?.decision.events ?? [];
    expect(recorded.map(({ kind, owner }) => [kind, owner])).toEqual([
      ['withdrawn', 'young'],
      ['granted', 'old'],
    ]);
  });

  it('takes the last room of a shared lock from the youngest multi-lock offered it', () => {
    const world = new MultiLockWorld();
    const { token } = take(world, 'a', 'orders/x');
    const shared = { modes: { b: 'shared' as const }, waitMs: 5_000 };
    const readers = Array.from({ length: SHARED_MAX }, (_, i) => {
      const reader = `orders/r${i}` as const;
      const answer = world.run('b', acquire(reader, { mode: 'shared' })) as Granted;
      return { reader, token: answer.token };
    });
    const old = multiLockOf('ab', { ...shared, owner: 'old' });
    world.runSet(old);
    world.now += 2;
    world.runSet(multiLockOf('bc', { ...shared, owner: 'youngest' }));
    world.now -= 1;
    world.runSet(multiLockOf('bd', { ...shared, owner: 'younger' }));
    world.now += 1;
    for (const one of readers.slice(0, 2)) world.run('b', release(one.reader, one.token));
    expect(world.records.get('b')?.offers).toHaveLength(2);
    world.run('a', release('orders/x', token));
    granted(world.runSet(old));
    const b = world.records.get('b');
    expect(b?.holds).toHaveLength(SHARED_MAX - 1);
    expect(b?.offers.map(({ ticket }) => ticket)).toEqual([2]);
    expect(world.queueOf('b')).toEqual(['youngest', 'younger']);
  });

  it('precedes younger multi-locks that queued at a lock before it moved there', () => {
    const world = new MultiLockWorld();
    const [b, c] = [take(world, 'b', 'orders/x'), take(world, 'c', 'orders/x')];
    const old = multiLockOf('bc', { owner: 'old', waitMs: 5_000 });
    world.runSet(old);
    world.now += 1;
    world.runSet(multiLockOf('cd', { owner: 'young', waitMs: 5_000 }));
    world.run('b', release('orders/x', b.token));
    expect(world.runSet(old)).toMatchObject({ outcome: 'queued', name: 'c', place: 1 });
    const { waiters } = world.run('c', { verb: 'inspect' });
    expect(waiters).toMatchObject([
      { place: 1, owner: 'old', ticket: 2 },
      { place: 2, owner: 'young', ticket: 1 },
    ]);
    world.run('c', release('orders/x', c.token));
    expect(world.records.get('c')?.offers).toMatchObject([{ ticket: 2 }]);
    granted(world.runSet(old));
  });

  it('does not delay its queue once its caller has left, nor for long if its process died', () => {
    const world = new MultiLockWorld();
    const b = take(world, 'b', 'orders/x');
    const [first, second] = [1, 2].map((i) => multiLockOf('ab', { owner: `w${i}`, waitMs: 5_000 }));
    if (!first || !second) return expect.unreachable();
    world.runSet(first);
    world.runSet(second, 'p2');
    world.run('b', acquire('orders/single', { waitMs: 5_000 }));
    world.hangUp(first);
    world.kill('p2');
    world.run('b', release('orders/x', b.token));
    expect(world.holdersOf('b')).toEqual(['single']);
  });

  it('times out naming what blocks it, and when repeated, what blocks it then', () => {
    const world = new MultiLockWorld();
    take(world, 'b', 'orders/x');
    const set = multiLockOf('ab', { waitMs: 500, requestId: 'r1' });
    world.runSet(set);
    const timesOutAt = world.now + 500;
    world.now += 900;
    const { changes } = world.propose({ ...set, verb: 'giveUpSet' }).decision;
    const late = { kind: 'timeout', at: timesOutAt, waitedMs: 500 };
    expect(changes[0]?.decision.events).toMatchObject([late]);
    const answer = world.runSet({ ...set, verb: 'giveUpSet' });
    expect(answer).toMatchObject({
      outcome: 'timeout',
      blockedBy: [{ name: 'b', queueLength: 0 }],
    });
    expect(world.queueOf('b')).toEqual([]);
    expect(world.runSet(set)).toEqual(answer);
    world.now += 8_000;
    take(world, 'a', 'orders/y');
    const blockedBy = [{ name: 'a', holders: [{ owner: 'y', expiresInMs: expect.any(Number) }] }];
    world.now += 8_000;
    expect(world.runSet(set)).toMatchObject({ outcome: 'timeout', blockedBy });
    expect(world.holdersOf('b')).toEqual([]);
  });
});

describe('a multi-lock with a request id', () => {
  it('is granted once, and repeated with the same holds', () => {
    const world = new MultiLockWorld();
    const set = multiLockOf('ab', { requestId: 'r1' });
    const first = granted(world.runSet(set));
    world.now += 10;
    const again = granted(world.runSet(set, 'p2'));
    expect(again).toEqual(first.map((g) => ({ ...g, expiresInMs: g.expiresInMs - 10 })));
  });

  it('is refused if repeated with another input', () => {
    const world = new MultiLockWorld();
    world.runSet(multiLockOf('ab', { requestId: 'r1' }));
    const other = multiLockOf('ab', { requestId: 'r1', input: 'other' });
    expect(() => world.runSet(other)).toThrow(/used before/);
  });

  it('says which of its holds are over and which are not', () => {
    const world = new MultiLockWorld();
    const set = multiLockOf('ab', { requestId: 'r1' });
    const [a, b] = granted(world.runSet(set));
    world.run('a', release('orders/w1', a?.token ?? 0));
    expect(world.runSet(set)).toEqual({
      outcome: 'ended',
      ended: [{ name: 'a', token: a?.token, cause: 'released' }],
      grants: [b],
    });
  });

  it('keeps its answer or its place under a stricter policy, which refuses a new one', () => {
    const world = new MultiLockWorld();
    const outsidePolicy = { sentence: 'leaseMs must be at most 1000 in namespace billing.' };
    const set = multiLockOf('ab', { requestId: 'r1' });
    const first = granted(world.runSet(set));
    expect(granted(world.runSet({ ...set, outsidePolicy }))).toEqual(first);
    const patient = multiLockOf('bc', { owner: 'w2', waitMs: 5_000, requestId: 'r2' });
    world.runSet(patient);
    const waiting = world.runSet({ ...patient, outsidePolicy }, 'p2');
    expect(waiting).toMatchObject({ outcome: 'queued', name: 'b', place: 1 });
    const unknown = multiLockOf('de', { requestId: 'r3' });
    const refused = expect.objectContaining({ reason: 'INVALID', message: outsidePolicy.sentence });
    expect(() => world.runSet({ ...unknown, outsidePolicy })).toThrow(refused);
  });

  it('keeps one place if two of its calls queued at different locks at once', () => {
    const world = new MultiLockWorld();
    take(world, 'b', 'orders/x');
    const set = multiLockOf('ab', { waitMs: 5_000, requestId: 'r1' });
    const slow = world.propose(set, 'p1');
    take(world, 'a', 'orders/y');
    const quick = world.propose(set, 'p2');
    expect(world.finish(quick)).toBe(true);
    expect(world.finish(slow)).toBe(true);
    expect([world.queueOf('a'), world.queueOf('b')]).toEqual([['w1'], ['w1']]);
    expect(world.runSet(set, 'p1')).toMatchObject({ outcome: 'queued', name: 'a' });
    expect([world.queueOf('a'), world.queueOf('b')]).toEqual([['w1'], []]);
  });

  it.each([
    ['waits', 5_000, 'cancelled'],
    ['was granted', 0, 'released'],
  ])('is undone whole while it %s', (_, waitMs, outcome) => {
    const world = new MultiLockWorld();
    if (waitMs > 0) take(world, 'b', 'orders/x');
    const set = multiLockOf('ab', { waitMs, requestId: 'r1' });
    world.runSet(set);
    const { service, owner, request } = set;
    const names = ['b', 'a'];
    const cancel = { verb: 'cancelSet' as const, service, owner, names, request };
    expect(world.runSet({ ...cancel, owner: 'w2' })).toEqual({ outcome: 'none' });
    expect(world.runSet(cancel)).toEqual({ outcome });
    expect(world.queueOf('b')).toEqual([]);
    expect(world.holdersOf('a')).toEqual([]);
    expect(world.runSet(cancel)).toEqual({ outcome: 'none' });
    expect(world.runSet(set).outcome).toBe(waitMs > 0 ? 'timeout' : 'ended');
  });

  it('whose leases expired stays over once a cancel said so, even if the clock is set back', () => {
    const world = new MultiLockWorld();
    const set = multiLockOf('ab', { requestId: 'r1' });
    const [a] = granted(world.runSet(set));
    world.now += 10_000;
    const { service, owner, request } = set;
    const cancel = { verb: 'cancelSet' as const, service, owner, names: ['a', 'b'], request };
    expect(world.runSet(cancel)).toEqual({ outcome: 'none' });
    world.now -= 5_000;
    expect([world.holdersOf('a'), world.holdersOf('b')]).toEqual([[], []]);
    expect(world.run('a', renew('orders/w1', a?.token ?? 0)).outcome).toBe('lost');
  });

  it('that is held at least for a while keeps each of its locks after its release', () => {
    const world = new MultiLockWorld();
    const set = multiLockOf('ab', { requestId: 'r1', holdAtLeastMs: 6_000 });
    const [a, b] = granted(world.runSet(set));
    const freesAt = world.now + 6_000;
    const released = world.run('a', release('orders/w1', a?.token ?? 0));
    expect(released).toMatchObject({ outcome: 'released', freesAt });
    expect(world.runSet(set)).toMatchObject({
      outcome: 'ended',
      ended: [{ name: 'a', cause: 'released' }],
      grants: [{ name: 'b', token: b?.token }],
    });
    const { service, owner, request } = set;
    const cancel = { verb: 'cancelSet' as const, service, owner, names: ['a', 'b'], request };
    expect(world.runSet(cancel)).toEqual({ outcome: 'released' });
    expect(world.holdersOf('b')).toEqual([]);
    expect(world.run('a', acquire('orders/w2')).outcome).toBe('held');
    world.now = freesAt;
    expect(world.run('a', acquire('orders/w2')).outcome).toBe('granted');
  });

  it('that was re-entered is ended by a cancel, which releases only its own entry, once', () => {
    const world = new MultiLockWorld();
    const set = multiLockOf('ab', { requestId: 'r1' });
    const [a, b] = granted(world.runSet(set));
    const again = acquire('orders/w1', { reentrant: true, requestId: 'r2' });
    expect(world.run('b', again)).toMatchObject({ token: b?.token, holdCount: 2 });
    const { service, owner, request } = set;
    const cancel = { verb: 'cancelSet' as const, service, owner, names: ['a', 'b'], request };
    expect(world.runSet(cancel)).toEqual({ outcome: 'released' });
    expect(world.holdersOf('a')).toEqual([]);
    expect(world.records.get('b')?.holds).toMatchObject([{ token: b?.token, count: 1 }]);
    expect(world.runSet(cancel)).toEqual({ outcome: 'none' });
    expect(world.runSet(set)).toEqual({
      outcome: 'ended',
      ended: [a, b].map((grant) => ({ name: grant?.name, token: grant?.token, cause: 'released' })),
      grants: [],
    });
    expect(world.run('b', again)).toMatchObject({ outcome: 'granted', token: b?.token });
    expect(world.run('b', release('orders/w1', b?.token ?? 0))).toEqual({ outcome: 'released' });
  });

  it('is reverted as a whole after a late grant, unless it may still answer a request id', () => {
    const world = new MultiLockWorld();
    const set = multiLockOf('ab');
    const holds = granted(world.runSet(set));
    const revert = { verb: 'revertSet' as const, holds, request: set.request };
    expect(world.runSet(revert)).toEqual({ outcome: 'reverted' });
    expect(world.holdersOf('a')).toEqual([]);
    const named = multiLockOf('ab', { requestId: 'r1' });
    const kept = granted(world.runSet(named));
    expect(kept[0]?.token).toBeGreaterThan(holds[0]?.token ?? 0);
    expect(world.runSet({ ...revert, holds: kept, request: named.request })).toEqual({
      outcome: 'gone',
    });
    expect(granted(world.runSet(named))).toMatchObject(kept.map(({ token }) => ({ token })));
  });
});
