import { beforeEach, describe, expect, it } from 'vitest';
import {
  type AcquireOptions,
  acquire,
  detach,
  forceRelease,
  giveUp,
  release,
  renew,
  setCapacity,
} from '../testing/lock-requests';
import { LockWorld } from '../testing/lock-world';
import { SHARED_MAX } from './lock-record';

let world: LockWorld;

beforeEach(() => {
  world = new LockWorld();
});

const PATIENT = { waitMs: 60_000 };

/** An acquire of so many permits of ten. */
const asking = (owner: string, permits: number, more: AcquireOptions = {}) =>
  acquire(`orders/${owner}`, { mode: 'permit', permits, capacity: 10, ...more });

const ask = (owner: string, permits: number, more: AcquireOptions = {}) =>
  world.run(asking(owner, permits, more));

const take = (owner: string, permits: number, more: AcquireOptions = {}) => {
  const answer = ask(owner, permits, more);
  if (answer.outcome !== 'granted') throw new Error(`expected a grant, got ${answer.outcome}`);
  return answer.token;
};
const queue = (owner: string, permits: number) => ask(owner, permits, PATIENT);
const owners = () => world.record?.holds.map(({ owner }) => owner);
const waiting = () => world.record?.queue.map(({ owner }) => owner);
const permits = () => world.run({ verb: 'inspect' }).permits;

describe('permits', () => {
  it('are held by several callers, as many as fit, each with a rising token of its own', () => {
    const tokens = [take('a', 3), take('b', 4), take('c', 3)];
    expect(tokens).toEqual([...tokens].sort((one, other) => one - other));
    expect(new Set(tokens).size).toBe(3);
    expect(ask('d', 1)).toMatchObject({ outcome: 'held', holders: [{ permits: 3 }, {}, {}] });
    expect(permits()).toEqual({ capacity: 10, inUse: 10 });
    for (const token of tokens) expect(world.run({ verb: 'check', token }).valid).toBe(true);
  });

  it('are recorded on grant and on queueing with their number at that time', () => {
    const said: [string, number | undefined][] = [];
    world.onWrite = ({ decision: { events } }) => {
      said.push(
        ...events.map(({ kind, capacity }): [string, number | undefined] => [kind, capacity]),
      );
    };
    const first = take('a', 4);
    queue('b', 8);
    world.run(setCapacity(10, 12));
    world.run(release('orders/a', first));
    expect(said).toEqual([
      ['granted', 10],
      ['queued', 10],
      ['capacity', 12],
      ['granted', 12],
      ['released', undefined],
    ]);
  });

  it('are released one hold at a time, and granted to the next waiters that fit', () => {
    const tokens = [take('a', 6), take('b', 4)];
    queue('c', 3);
    queue('d', 3);
    queue('e', 1);
    world.run(release('orders/a', tokens[0] ?? 0));
    expect(owners()).toEqual(['b', 'c', 'd']);
    expect(waiting()).toEqual(['e']);
    world.run(renew('orders/b', tokens[1] ?? 0));
    world.run(forceRelease(tokens[1] ?? 0));
    expect(owners()).toEqual(['c', 'd', 'e']);
    expect(permits()).toEqual({ capacity: 10, inUse: 7 });
  });

  it('are not granted to small requests ahead of a large one, so it does not starve', () => {
    const first = take('a', 1);
    const second = take('b', 1);
    queue('large', 10);
    expect(ask('small', 1)).toMatchObject({ outcome: 'held' });
    expect(queue('small', 1)).toMatchObject({ outcome: 'queued', place: 2 });
    world.run(release('orders/a', first));
    expect(owners()).toEqual(['b']);
    world.run(release('orders/b', second));
    expect(owners()).toEqual(['large']);
    expect(waiting()).toEqual(['small']);
  });

  it('are granted to those behind a large request once it gives up', () => {
    take('a', 5);
    const large = asking('large', 10, PATIENT);
    world.run(large);
    queue('small', 5);
    world.run(giveUp(large));
    expect(owners()).toEqual(['a', 'small']);
  });

  it('exclude the other modes, and are excluded by them', () => {
    const { token } = world.run(acquire('orders/w')) as { token: number };
    queue('a', 2);
    world.run(acquire('orders/r', { mode: 'shared', ...PATIENT }));
    queue('b', 2);
    world.run(release('orders/w', token));
    expect(owners()).toEqual(['a']);
    world.run(release('orders/a', world.record?.holds[0]?.token ?? 0));
    expect(owners()).toEqual(['r']);
    expect(ask('c', 1)).toMatchObject({ outcome: 'held' });
    expect(world.run(acquire('orders/w2'))).toMatchObject({ outcome: 'held' });
    world.run(release('orders/r', world.record?.holds[0]?.token ?? 0));
    expect(owners()).toEqual(['b']);
    expect(world.run(acquire('orders/r2', { mode: 'shared' })).outcome).toBe('held');
  });

  it('are offered to waiters of other processes only as far as they fit', () => {
    const token = take('a', 10);
    for (const [i, size] of [4, 4, 4].entries()) {
      world.run(asking(`w${i}`, size, PATIENT), `p${i + 2}`);
    }
    world.run(release('orders/a', token));
    expect(world.record?.offers).toHaveLength(2);
    world.run({ verb: 'expireAndPromote' }, 'p3');
    world.run({ verb: 'expireAndPromote' }, 'p4');
    expect(owners()).toEqual(['w1']);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(owners()).toEqual(['w1', 'w0']);
  });

  it('are reserved for a waiter between two requests', () => {
    const token = take('a', 10);
    const away = asking('away', 6, { ...PATIENT, requestId: 'r1' });
    world.run(away);
    world.run(detach(away));
    queue('b', 5);
    world.run(release('orders/a', token));
    expect(owners()).toEqual([]);
    expect(world.run(away).outcome).toBe('granted');
    expect(owners()).toEqual(['away']);
  });

  it('can be re-entered by their owner only with the same number, even while others wait', () => {
    const token = take('a', 3);
    queue('large', 10);
    const again = { reentrant: true };
    expect(ask('a', 3, again)).toMatchObject({ outcome: 'granted', token, holdCount: 2 });
    expect(() => ask('a', 2, again)).toThrow(expect.objectContaining({ reason: 'CONFLICT' }));
    expect(permits()).toEqual({ capacity: 10, inUse: 3 });
  });

  it('can be held by only a bounded number of callers at once', () => {
    const most = { capacity: 10_000 };
    for (let i = 0; i < SHARED_MAX; i += 1) take(`w${i}`, 1, most);
    expect(ask('one-more', 1, most).outcome).toBe('held');
  });
});

describe('the capacity', () => {
  const refused = (capacity: number) => expect.objectContaining({ reason: 'INVALID', capacity });

  it('is set by the first caller, and a different one is refused, naming the one in force', () => {
    const token = take('a', 3);
    const other = { capacity: 12 };
    expect(() => ask('b', 3, other)).toThrow(refused(10));
    expect(() => ask('b', 3, other)).toThrow(/^capacity: must be 10, /);
    expect(() => ask('a', 3, { ...other, reentrant: true })).toThrow(refused(10));
    queue('large', 10);
    world.run(release('orders/a', token));
    expect(() => ask('b', 3, other)).toThrow(refused(10));
  });

  it('can be set again once no permits are held or waited for, expired ones included', () => {
    take('a', 3, { leaseMs: 1_000 });
    world.pass(1_000);
    take('b', 11, { capacity: 12 });
    expect(permits()).toEqual({ capacity: 12, inUse: 11 });
    world.run(release('orders/b', world.record?.holds[0]?.token ?? 0));
    expect(world.record?.capacity).toBe(null);
    expect(permits()).toBe(undefined);
  });

  it('set by a caller that waits behind an exclusive hold applies from then on', () => {
    world.run(acquire('orders/w'));
    const waiter = asking('a', 3, PATIENT);
    world.run(waiter);
    expect(() => ask('b', 3, { capacity: 12 })).toThrow(refused(10));
    world.run(giveUp(waiter));
    expect(world.record?.capacity).toBe(null);
  });
});

describe('a capacity that an operator changes', () => {
  it('admits waiters as soon as it is raised', () => {
    take('a', 8);
    queue('b', 4);
    const answer = world.run(setCapacity(10, 12));
    expect(answer).toMatchObject({ outcome: 'capacitySet', capacity: 12, inUse: 12 });
    expect(owners()).toEqual(['a', 'b']);
    expect(permits()).toEqual({ capacity: 12, inUse: 12, named: 10 });
  });

  it('revokes nothing when it is lowered, and holds back grants until enough was released', () => {
    const tokens = [take('a', 4), take('b', 4)];
    queue('c', 2);
    queue('d', 2);
    world.run(setCapacity(10, 5));
    expect(owners()).toEqual(['a', 'b', 'c']);
    expect(permits()).toEqual({ capacity: 5, inUse: 10, named: 10 });
    expect(world.run(renew('orders/a', tokens[0] ?? 0)).outcome).toBe('renewed');
    world.run(release('orders/a', tokens[0] ?? 0));
    expect(owners()).toEqual(['b', 'c']);
    world.run(release('orders/b', tokens[1] ?? 0));
    expect(owners()).toEqual(['c', 'd']);
  });

  it('revokes offers beyond it', () => {
    const token = take('a', 10);
    world.run(asking('w0', 4, PATIENT), 'p2');
    world.run(asking('w1', 4, PATIENT), 'p3');
    world.run(release('orders/a', token));
    world.run(setCapacity(10, 5));
    expect(world.record?.offers).toHaveLength(1);
    world.run({ verb: 'expireAndPromote' }, 'p3');
    expect(owners()).toEqual([]);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(owners()).toEqual(['w0']);
  });

  it('still applies when the last permits go to the only waiter', () => {
    const token = take('a', 4);
    world.run(setCapacity(10, 5));
    queue('b', 5);
    world.run(release('orders/a', token));
    expect(owners()).toEqual(['b']);
    expect(permits()).toEqual({ capacity: 5, inUse: 5, named: 10 });
    world.run(release('orders/b', world.record?.holds[0]?.token ?? 0));
    expect(ask('c', 10).outcome).toBe('granted');
  });

  it('may be named by callers, and so may the earlier one', () => {
    take('a', 1);
    world.run(setCapacity(10, 12));
    expect(ask('b', 1, { capacity: 10 }).outcome).toBe('granted');
    expect(ask('c', 1, { capacity: 12 }).outcome).toBe('granted');
    const other = () => ask('d', 1, { capacity: 11 });
    expect(other).toThrow(/^capacity: must be 10 or, as an operator has set it, 12, /);
  });

  it('lets a holder with more permits than it allows re-enter', () => {
    const token = take('w1', 7);
    world.run(setCapacity(10, 5));
    const again = ask('w1', 7, { reentrant: true });
    expect(again).toMatchObject({ outcome: 'granted', token, holdCount: 2 });
    expect(permits()).toEqual({ capacity: 5, inUse: 7, named: 10 });
  });

  it('refuses a caller that wants more permits than it allows', () => {
    take('a', 1);
    world.run(setCapacity(10, 5));
    const tooMany = () => ask('b', 6, PATIENT);
    expect(tooMany).toThrow(expect.objectContaining({ reason: 'CONFLICT', capacity: 5 }));
  });

  it('cannot go below what a waiter wants; the refusal names that waiter', () => {
    take('a', 8);
    queue('large', 7);
    const answer = world.run(setCapacity(10, 6));
    expect(answer).toMatchObject({ outcome: 'waiterWantsMore', owner: 'large', permits: 7 });
    expect(permits()).toEqual({ capacity: 10, inUse: 8 });
  });

  it('replaces only the capacity that the operator saw, and only once', () => {
    expect(world.run(setCapacity(10, 6))).toMatchObject({
      outcome: 'otherCapacity',
      capacity: null,
    });
    take('a', 8);
    expect(world.run(setCapacity(9, 6))).toMatchObject({ outcome: 'otherCapacity', capacity: 10 });
    const done = world.run(setCapacity(10, 12, 'twice'));
    expect(world.run(setCapacity(12, 10, 'back'))).toMatchObject({ outcome: 'capacitySet' });
    expect(world.run(setCapacity(10, 12, 'twice'))).toEqual(done);
    expect(permits()).toEqual({ capacity: 10, inUse: 8 });
  });
});
