import { beforeEach, describe, expect, it } from 'vitest';
import {
  acquire,
  type Caller,
  freeze,
  reassign,
  release,
  unfreeze,
} from '../../testing/lock-requests';
import { LockWorld } from '../../testing/lock-world';

let world: LockWorld;

beforeEach(() => {
  world = new LockWorld();
});

type Options = Parameters<typeof acquire>[1];

const take = (caller: Caller, options: Options = {}) => {
  const answer = world.run(acquire(caller, options));
  if (answer.outcome !== 'granted') throw new Error(`expected a grant, got ${answer.outcome}`);
  return answer.token;
};

const queue = (caller: Caller, process = 'p1', options: Options = {}) => {
  const answer = world.run(acquire(caller, { waitMs: 60_000, ...options }), process);
  if (answer.outcome !== 'queued') throw new Error(`expected a place, got ${answer.outcome}`);
  return answer.ticket;
};

const waiting = () => world.record?.queue.map(({ owner }) => owner);
const holding = () => world.record?.holds.map(({ owner }) => owner);

describe('a reassignment', () => {
  it('ends the hold seen and grants the waiter chosen; the others keep their places', () => {
    const token = take('orders/w1');
    queue('orders/w2');
    queue('orders/w3');
    const ticket = queue('billing/w4');
    queue('orders/w5');
    const answer = world.run(reassign(token, ticket));
    const [hold] = world.record?.holds ?? [];
    expect(answer).toEqual({
      outcome: 'reassigned',
      rev: world.record?.rev,
      token,
      next: { kind: 'granted', owner: 'w4', service: 'billing', token: hold?.token },
      queueLength: 3,
    });
    expect(hold?.token).toBeGreaterThan(token);
    expect(waiting()).toEqual(['w2', 'w3', 'w5']);
    expect(world.run({ verb: 'check', token }).valid).toBe(false);
    expect(world.record?.ended).toMatchObject({ token, cause: 'forced', by: 'ada' });
  });

  it('is in the history with its actor and reason, at both the end and the grant', () => {
    const token = take('orders/w1');
    queue('orders/w2');
    const { decision } = world.propose(reassign(token, queue('orders/w3')));
    const why = { by: 'ada', reason: 'a hotfix first' };
    expect(decision.events).toMatchObject([
      { kind: 'forced', owner: 'w1', token, ...why },
      { kind: 'granted', owner: 'w3', ...why },
    ]);
  });

  it('offers the lock to a waiter of another process, which claims it before those ahead', () => {
    const token = take('orders/w1');
    queue('orders/w2');
    const ticket = queue('orders/w3', 'p2');
    const answer = world.run(reassign(token, ticket));
    expect(answer).toMatchObject({ next: { kind: 'offered', owner: 'w3', token: null } });
    world.run({ verb: 'expireAndPromote' }, 'p1');
    expect(holding()).toEqual([]);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(holding()).toEqual(['w3']);
    expect(waiting()).toEqual(['w2']);
  });

  it('grants the lock to the first in the queue if the chosen waiter has gone meanwhile', () => {
    const token = take('orders/w1');
    queue('orders/w2');
    world.run(reassign(token, queue('orders/w3', 'p2')));
    world.kill('p2');
    world.run({ verb: 'expireAndPromote' }, 'p1');
    expect(holding()).toEqual(['w2']);
    expect(waiting()).toEqual([]);
  });

  it('reserves the lock for the chosen waiter against all newcomers', () => {
    const token = take('orders/w1');
    world.run(reassign(token, queue('orders/w3', 'p2')));
    expect(world.run(acquire('orders/w9')).outcome).toBe('held');
  });

  it('does nothing when the lock has changed hands, and shows both states', () => {
    const seen = take('orders/w1');
    world.run(release('orders/w1', seen));
    const token = take('orders/w2');
    const ticket = queue('orders/w3');
    const before = world.record;
    const answer = world.run(reassign(seen, ticket));
    expect(answer).toMatchObject({ outcome: 'changed', holders: [{ owner: 'w2', token }] });
    expect(world.record).toBe(before);
  });

  it('does nothing when the waiter is gone: the hold continues', () => {
    const token = take('orders/w1');
    const before = world.record;
    expect(world.run(reassign(token, 7))).toEqual({
      outcome: 'notReassigned',
      rev: before?.rev,
      obstacle: 'waiterGone',
      queueLength: 0,
    });
    expect(world.record).toBe(before);
  });

  it('does nothing for a waiter that has timed out, and drops it', () => {
    const token = take('orders/w1');
    const ticket = queue('orders/w2', 'p2', { waitMs: 500 });
    world.pass(600);
    const answer = world.run(reassign(token, ticket));
    expect(answer).toMatchObject({ obstacle: 'waiterGone', rev: world.record?.rev });
    expect(holding()).toEqual(['w1']);
  });

  it('repeated with the same id gets the same answer, and ends no other hold', () => {
    const token = take('orders/w1');
    const ticket = queue('orders/w2');
    const once = world.run(reassign(token, ticket, 'a'));
    queue('orders/w3');
    expect(world.run(reassign(token, ticket, 'a'))).toEqual(once);
    expect(holding()).toEqual(['w2']);
  });

  it('decided in time but written when the wait was over is refused by the store', () => {
    const token = take('orders/w1');
    const ticket = queue('orders/w2', 'p1', { waitMs: 1_000 });
    world.pass(999);
    const stalled = world.propose(reassign(token, ticket));
    world.pass(1);
    expect(world.write(stalled)).toBe(false);
  });

  it('is refused while the lock is frozen, and the hold continues', () => {
    const token = take('orders/w1');
    const ticket = queue('orders/w2');
    world.run(freeze());
    expect(world.run(reassign(token, ticket, 'a'))).toMatchObject({ obstacle: 'frozen' });
    expect(holding()).toEqual(['w1']);
    world.run(unfreeze());
    expect(world.run(reassign(token, ticket, 'b')).outcome).toBe('reassigned');
  });

  it('is refused if a lock delay would follow, but not for a released hold that is kept', () => {
    world.policy = { queueLimit: 200, lockDelayMs: 1_000 };
    const token = take('orders/w1', { holdAtLeastMs: 5_000 });
    const ticket = queue('orders/w2');
    expect(world.run(reassign(token, ticket, 'a'))).toMatchObject({ obstacle: 'delayed' });
    world.run(release('orders/w1', token));
    expect(holding()).toEqual(['w1']);
    expect(world.run(reassign(token, ticket, 'b')).outcome).toBe('reassigned');
    expect(holding()).toEqual(['w2']);
  });

  it('is BACKEND_DOWN while the backend grants nothing', () => {
    const token = take('orders/w1');
    const ticket = queue('orders/w2');
    world.policy = { queueLimit: 200, lockDelayMs: 0, closedBecause: 'It lost its memory.' };
    const refused = expect.objectContaining({ reason: 'BACKEND_DOWN' });
    expect(() => world.run(reassign(token, ticket))).toThrow(refused);
  });
});

describe('a reassignment of a shared lock or of permits', () => {
  const shared = { mode: 'shared' } as const;
  const permits = (count: number) => ({ mode: 'permit', permits: count, capacity: 4 }) as const;

  it('admits a reader beside the other readers, ahead of a writer', () => {
    const token = take('orders/r1', shared);
    take('orders/r2', shared);
    queue('orders/w');
    const ticket = queue('orders/r3', 'p1', shared);
    expect(world.run(reassign(token, ticket)).outcome).toBe('reassigned');
    expect(holding()).toEqual(['r2', 'r3']);
    expect(waiting()).toEqual(['w']);
  });

  it('is refused for a writer while other readers hold the lock', () => {
    const token = take('orders/r1', shared);
    take('orders/r2', shared);
    const ticket = queue('orders/w');
    expect(world.run(reassign(token, ticket))).toMatchObject({ obstacle: 'noRoom' });
    expect(holding()).toEqual(['r1', 'r2']);
  });

  it('from a writer to a reader also admits those next in turn that fit beside it', () => {
    const token = take('orders/w1');
    queue('orders/r1', 'p1', shared);
    queue('orders/w2');
    queue('orders/r2', 'p1', shared);
    const ticket = queue('orders/r3', 'p1', shared);
    const answer = world.run(reassign(token, ticket));
    expect(answer).toMatchObject({ next: { owner: 'r3' }, queueLength: 2 });
    expect(holding()).toEqual(['r3', 'r1']);
    expect(waiting()).toEqual(['w2', 'r2']);
  });

  it('grants permits if enough were freed, and is refused otherwise', () => {
    const token = take('orders/p1', permits(2));
    take('orders/p2', permits(2));
    const large = queue('orders/p3', 'p1', permits(3));
    const small = queue('orders/p4', 'p1', permits(2));
    expect(world.run(reassign(token, large, 'a'))).toMatchObject({ obstacle: 'noRoom' });
    expect(world.run(reassign(token, small, 'b'))).toMatchObject({
      next: { kind: 'granted', owner: 'p4', permits: 2 },
    });
    expect(holding()).toEqual(['p2', 'p4']);
    expect(waiting()).toEqual(['p3']);
  });
});
