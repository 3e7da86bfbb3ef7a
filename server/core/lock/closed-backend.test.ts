import { beforeEach, describe, expect, it } from 'vitest';
import { decideCounter } from '../counter/decide-counter';
import type { DecidingPolicy } from '../decision';
import { add, counterAt, createCounter, OPERATOR } from '../testing/counter-requests';
import { acquire, cancel, forceRelease, release, renew } from '../testing/lock-requests';
import { LockWorld } from '../testing/lock-world';
import { MultiLockWorld, multiLockOf } from '../testing/multi-lock-world';

const WHY = 'The backend "orders" grants nothing: this server takes no writes.';
const CLOSED: DecidingPolicy = { queueLimit: 200, lockDelayMs: 0, closedBecause: WHY };
const OPEN: DecidingPolicy = { queueLimit: 200, lockDelayMs: 0 };
const PATIENT = { waitMs: 60_000 };
const refused = expect.objectContaining({ reason: 'BACKEND_DOWN', message: WHY });

let world: LockWorld;

beforeEach(() => {
  world = new LockWorld();
});

const take = () => {
  const answer = world.run(acquire('orders/w1'));
  return answer.outcome === 'granted' ? answer.token : 0;
};

describe('a closed backend', () => {
  it('grants nothing, queues no new caller, and says why', () => {
    world.policy = CLOSED;
    for (const parts of [{}, PATIENT, { reentrant: true }, { mode: 'shared' as const }]) {
      expect(() => world.run(acquire('orders/w1', parts))).toThrow(refused);
    }
    expect(world.record).toBe(null);
  });

  it('lets holders renew, re-enter and release, and anyone inspect', () => {
    const token = take();
    world.policy = CLOSED;
    expect(world.run(renew('orders/w1', token)).outcome).toBe('renewed');
    const again = acquire('orders/w1', { reentrant: true });
    expect(world.run(again)).toMatchObject({ outcome: 'granted', token, holdCount: 2 });
    expect(world.run({ verb: 'check', token })).toEqual({ valid: true });
    expect(world.run({ verb: 'inspect' })).toMatchObject({ state: 'held' });
    expect(world.run(release('orders/w1', token)).outcome).toBe('decremented');
    expect(world.run(release('orders/w1', token)).outcome).toBe('released');
  });

  it('repeats the grant to a request that was granted before', () => {
    const ask = acquire('orders/w1', { requestId: 'one' });
    const first = world.run(ask);
    world.policy = CLOSED;
    expect(world.run(ask)).toEqual(first);
  });

  it('grants no released, revoked or expired lock to a waiter until it is open again', () => {
    const token = take();
    world.run(acquire('orders/w2', PATIENT));
    world.policy = CLOSED;
    expect(world.run(forceRelease(token))).toMatchObject({ next: { kind: 'nobody' } });
    world.run({ verb: 'expireAndPromote' });
    expect(world.record).toMatchObject({ holds: [], offers: [], queue: [{ owner: 'w2' }] });
    world.policy = OPEN;
    world.run({ verb: 'expireAndPromote' });
    expect(world.record?.holds).toMatchObject([{ owner: 'w2' }]);
  });

  it('revokes an offer; its waiter keeps its place', () => {
    const token = take();
    world.run(acquire('orders/w2', PATIENT), 'p2');
    world.run(release('orders/w1', token));
    expect(world.record?.offers).toHaveLength(1);
    world.policy = CLOSED;
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(world.record).toMatchObject({ holds: [], offers: [], queue: [{ owner: 'w2' }] });
  });

  it('keeps the place of a request that asks again, and lets it cancel', () => {
    take();
    const ask = acquire('orders/w2', { ...PATIENT, requestId: 'two' });
    world.run(ask);
    world.policy = CLOSED;
    expect(world.run(ask)).toMatchObject({ outcome: 'queued', place: 1 });
    expect(world.run(cancel('orders/w2', 'two'))).toEqual({ outcome: 'cancelled' });
  });

  it('ends an expired lease as usual', () => {
    take();
    world.policy = CLOSED;
    world.pass(60_000);
    world.run({ verb: 'expireAndPromote' });
    expect(world.record).toMatchObject({ holds: [], ended: { cause: 'expired' } });
  });

  it('grants no multi-lock, and keeps the place of one that waits', () => {
    const sets = new MultiLockWorld();
    sets.runSet(multiLockOf('ab'));
    const waiting = multiLockOf('bc', { ...PATIENT, owner: 'w2', requestId: 'three' });
    expect(sets.runSet(waiting)).toMatchObject({ outcome: 'queued', name: 'b' });
    sets.policy = CLOSED;
    expect(() => sets.runSet(multiLockOf('xy'))).toThrow(refused);
    expect(() => sets.runSet(multiLockOf('xy', PATIENT))).toThrow(refused);
    expect(sets.runSet(waiting)).toMatchObject({ outcome: 'queued', name: 'b' });
    sets.now += 10_000;
    expect(sets.runSet(waiting)).toMatchObject({ outcome: 'queued', name: 'b' });
    sets.policy = OPEN;
    expect(sets.runSet(waiting)).toMatchObject({ outcome: 'granted' });
  });

  it('refuses counter steps of services, repeats earlier answers, and lets people act', () => {
    const context = { now: 1, storedAnswer: null, policy: CLOSED };
    const record = counterAt(4);
    expect(() => decideCounter(record, add(1), context)).toThrow(refused);
    expect(() => decideCounter(null, createCounter(0), context)).toThrow(refused);
    expect(decideCounter(record, { verb: 'get' }, context).answer).toMatchObject({ value: 4 });
    const step = decideCounter(record, add(1, 'one'), { ...context, policy: OPEN });
    const again = { ...context, storedAnswer: step.storedAnswers[0] ?? null };
    expect(decideCounter(step.next, add(1, 'one'), again).answer).toEqual(step.answer);
    const request = { key: 'k', inputHash: '', remembered: true };
    const adjust = { verb: 'adjust', party: OPERATOR, seenValue: 4, value: 9, request } as const;
    expect(decideCounter(record, adjust, context).answer).toMatchObject({ outcome: 'adjusted' });
    const create = { ...createCounter(0), party: OPERATOR, request };
    expect(decideCounter(null, create, context).answer).toEqual({ outcome: 'created' });
  });
});
