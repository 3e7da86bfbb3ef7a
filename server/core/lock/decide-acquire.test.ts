import { beforeEach, describe, expect, it } from 'vitest';
import { LockyardError } from '../../contract/errors';
import { acquire, cancel, forceRelease, release, renew } from '../testing/lock-requests';
import { LockWorld, START_AT } from '../testing/lock-world';
import { decide } from './decide';

let world: LockWorld;

beforeEach(() => {
  world = new LockWorld();
});

const take = (...args: Parameters<typeof acquire>) => {
  const answer = world.run(acquire(...args));
  if (answer.outcome !== 'granted') throw new Error(`expected a grant, got ${answer.outcome}`);
  return answer;
};

describe('an acquire of a free lock', () => {
  it('is granted at once, with a token and the end of its lease', () => {
    const answer = take('orders/w1', { leaseMs: 10_000 });
    expect(answer).toEqual({
      outcome: 'granted',
      token: answer.token,
      rev: world.record?.rev,
      holdCount: 1,
      expiresAt: START_AT + 10_000,
      expiresInMs: 10_000,
      waitedMs: 0,
    });
    expect(world.record?.holds).toHaveLength(1);
  });

  it('is granted after the last lease expired, with a higher token', () => {
    const first = take('orders/w1', { leaseMs: 10_000 });
    world.pass(10_000);
    const second = take('orders/w2');
    expect(second.token).toBeGreaterThan(first.token);
    expect(world.record?.ended).toMatchObject({ token: first.token, cause: 'expired' });
  });
});

describe('an acquire of a held lock', () => {
  it('without patience is answered who holds it and when to try again', () => {
    const { token } = take('orders/w1', { leaseMs: 2_000 });
    const answer = world.run(acquire('orders/w2'));
    expect(answer).toEqual({
      outcome: 'held',
      holders: [
        {
          owner: 'w1',
          service: 'orders',
          token,
          mode: 'exclusive',
          holdCount: 1,
          grantedAt: START_AT,
          expiresAt: START_AT + 2_000,
          expiresInMs: 2_000,
        },
      ],
      queueLength: 0,
      retryAfterMs: 2_000,
    });
  });

  it('without patience changes nothing', () => {
    take('orders/w1');
    const before = world.record;
    world.run(acquire('orders/w2'));
    expect(world.record).toBe(before);
  });

  it('with patience joins the end of the queue', () => {
    take('orders/w1');
    expect(world.run(acquire('orders/w2', { waitMs: 5_000 }))).toMatchObject({ place: 1 });
    expect(world.run(acquire('orders/w3', { waitMs: 5_000 }))).toEqual({
      outcome: 'queued',
      ticket: 2,
      place: 2,
      patienceLeftMs: 5_000,
    });
  });

  it('is refused when the queue is as long as it may be', () => {
    world.policy = { ...world.policy, queueLimit: 1 };
    take('orders/w1');
    world.run(acquire('orders/w2', { waitMs: 5_000 }));
    const answer = world.run(acquire('orders/w3', { waitMs: 5_000 }));
    expect(answer).toMatchObject({ outcome: 'queueFull', queueLength: 1 });
  });

  it('by the same owner waits like any other unless it asked to re-enter', () => {
    take('orders/w1');
    expect(world.run(acquire('orders/w1')).outcome).toBe('held');
  });
});

describe('re-entering', () => {
  it('keeps the token, counts up and refreshes the lease', () => {
    const first = take('orders/w1', { leaseMs: 10_000 });
    world.pass(4_000);
    const again = take('orders/w1', { leaseMs: 10_000, reentrant: true });
    expect(again).toMatchObject({ token: first.token, holdCount: 2, expiresAt: START_AT + 14_000 });
  });

  it('never shortens the lease', () => {
    take('orders/w1', { leaseMs: 10_000 });
    const again = take('orders/w1', { leaseMs: 1_000, reentrant: true });
    expect(again.expiresAt).toBe(START_AT + 10_000);
  });

  it('is not for another service with the same owner name', () => {
    take('orders/w1');
    expect(world.run(acquire('billing/w1', { reentrant: true })).outcome).toBe('held');
  });

  it('of an expired hold is a new grant', () => {
    const first = take('orders/w1', { leaseMs: 1_000 });
    world.pass(1_000);
    const again = take('orders/w1', { reentrant: true });
    expect(again.holdCount).toBe(1);
    expect(again.token).toBeGreaterThan(first.token);
  });

  it('is refused beyond a limit, without a change', () => {
    for (let i = 1; i <= 1_000; i += 1) take('orders/w1', { reentrant: true });
    const before = world.record;
    const more = () => world.run(acquire('orders/w1', { reentrant: true }));
    expect(more).toThrow(expect.objectContaining({ reason: 'CONFLICT' }));
    expect(world.record).toBe(before);
  });
});

describe('a repeated request', () => {
  it('is answered its grant, with the current deadline', () => {
    const ask = acquire('orders/w1', { requestId: 'r1' });
    const first = take('orders/w1', { requestId: 'r1' });
    world.pass(1_000);
    world.run(renew('orders/w1', first.token, 20_000));
    const again = world.run(ask, 'p2');
    expect(again).toEqual({ ...first, expiresAt: START_AT + 21_000, expiresInMs: 20_000 });
  });

  it('is answered `ended`, with the cause, once its hold is over', () => {
    const { token } = take('orders/w1', { requestId: 'r1' });
    world.run(release('orders/w1', token));
    const again = () => world.run(acquire('orders/w1', { requestId: 'r1' }));
    expect(again()).toEqual({ outcome: 'ended', token, cause: 'released' });

    const next = take('orders/w2', { requestId: 'r2', leaseMs: 1_000 });
    world.run(forceRelease(next.token));
    expect(again()).toEqual({ outcome: 'ended', token, cause: 'superseded' });
    expect(world.run(acquire('orders/w2', { requestId: 'r2', leaseMs: 1_000 }))).toEqual({
      outcome: 'ended',
      token: next.token,
      cause: 'forced',
    });
  });

  it('is answered `expired` as soon as its lease is over, before any process has noticed', () => {
    const { token } = take('orders/w1', { requestId: 'r1', leaseMs: 1_000 });
    world.pass(1_000);
    const again = world.run(acquire('orders/w1', { requestId: 'r1', leaseMs: 1_000 }));
    expect(again).toEqual({ outcome: 'ended', token, cause: 'expired' });
  });

  it('is not answered `ended` if its grant was written between the two reads', () => {
    world.run(release('orders/w0', take('orders/w0').token));
    const ask = acquire('orders/w1', { requestId: 'r1' });
    const readBefore = world.record;
    world.run(ask);
    const { context } = world.propose(ask, 'p2');
    const again = () => decide(readBefore, ask, context);
    expect(again).toThrow(expect.objectContaining({ reason: 'CONTENDED' }));
    expect(() => decide(null, ask, context)).toThrow(LockyardError);
  });

  it('re-enters once', () => {
    take('orders/w1');
    const ask = acquire('orders/w1', { reentrant: true, requestId: 'r2' });
    const first = world.run(ask);
    expect(world.run(ask)).toEqual(first);
    expect(world.record?.holds[0]?.count).toBe(2);
  });

  it('is remembered for as long as its hold lives', () => {
    const { token } = take('orders/w1', { requestId: 'r1', leaseMs: 60_000 });
    for (let minute = 0; minute < 24 * 60; minute += 1) {
      world.pass(59_000);
      world.run(renew('orders/w1', token, 60_000));
    }
    const again = world.run(acquire('orders/w1', { requestId: 'r1', leaseMs: 60_000 }));
    expect(again).toMatchObject({ outcome: 'granted', token });
  });

  it('with another input is refused, whether granted or waiting', () => {
    const reused = expect.objectContaining({ reason: 'INVALID' });
    take('orders/w1', { requestId: 'r1' });
    const other = acquire('orders/w1', { requestId: 'r1', leaseMs: 1_000 });
    expect(() => world.run(other)).toThrow(reused);

    world.run(acquire('orders/w2', { requestId: 'r2', waitMs: 1_000 }));
    const otherWaiter = acquire('orders/w2', { requestId: 'r2', waitMs: 2_000 });
    expect(() => world.run(otherWaiter)).toThrow(LockyardError);
  });

  it('keeps its answer or its place under a stricter policy, which refuses a new one', () => {
    const outsidePolicy = { sentence: 'leaseMs must be at most 1000 in namespace billing.' };
    const forbidden = (...args: Parameters<typeof acquire>) => ({
      ...acquire(...args),
      outsidePolicy,
    });
    const { token } = take('orders/w1', { requestId: 'r1' });
    const again = world.run(forbidden('orders/w1', { requestId: 'r1' }));
    expect(again).toMatchObject({ outcome: 'granted', token, holdCount: 1 });
    world.run(acquire('orders/w2', { requestId: 'r2', waitMs: 5_000 }));
    const waiting = world.run(forbidden('orders/w2', { requestId: 'r2', waitMs: 5_000 }), 'p2');
    expect(waiting).toMatchObject({ outcome: 'queued', place: 1 });

    const refused = expect.objectContaining({ reason: 'INVALID', message: outsidePolicy.sentence });
    const before = world.record;
    for (const ask of [
      forbidden('orders/w1', { requestId: 'r3' }),
      forbidden('orders/w1', { requestId: 'r3', reentrant: true }),
      forbidden('orders/w3', { requestId: 'r3', waitMs: 5_000 }),
    ]) {
      expect(() => world.run(ask)).toThrow(refused);
    }
    expect(world.record).toEqual(before);
    world.run(release('orders/w1', token));
    const ended = world.run(forbidden('orders/w1', { requestId: 'r1' }));
    expect(ended).toEqual({ outcome: 'ended', token, cause: 'released' });
  });

  it('keeps its place in the queue, and its patience', () => {
    take('orders/w1', { leaseMs: 60_000 });
    const ask = acquire('orders/w2', { requestId: 'r2', waitMs: 5_000 });
    world.run(ask);
    world.run(acquire('orders/w3', { waitMs: 5_000 }));
    world.pass(1_000);
    expect(world.run(ask, 'p2')).toEqual({
      outcome: 'queued',
      ticket: 1,
      place: 1,
      patienceLeftMs: 4_000,
    });
    expect(world.record?.queue[0]).toMatchObject({ process: 'p2', enqueuedAt: START_AT });
  });

  it('is granted once if its first call still waits at the same process', () => {
    take('orders/w1', { leaseMs: 1_000 });
    const ask = acquire('orders/w2', { requestId: 'r2', waitMs: 5_000, reentrant: true });
    world.run(ask);
    world.pass(1_000);
    expect(world.run(ask)).toMatchObject({ outcome: 'granted', holdCount: 1, waitedMs: 1_000 });
    expect(world.record).toMatchObject({ holds: [{ owner: 'w2', count: 1 }], queue: [] });
  });

  it('keeps its place even if the process that kept it has died since', () => {
    take('orders/w1', { leaseMs: 60_000 });
    const ask = acquire('orders/w2', { requestId: 'r2', waitMs: 60_000 });
    world.run(ask, 'p1');
    world.run(acquire('orders/w3', { waitMs: 60_000 }), 'p2');
    world.kill('p1');
    expect(world.run(ask, 'p2')).toMatchObject({ outcome: 'queued', place: 1 });
  });

  it('claims the offer that was made to it while its caller was not connected', () => {
    const { token } = take('orders/w1', { leaseMs: 60_000 });
    const ask = acquire('orders/w2', { requestId: 'r2', waitMs: 60_000 });
    world.run(ask, 'p1');
    world.run({ verb: 'detach', request: ask.request }, 'p1');
    world.run(release('orders/w1', token), 'p2');
    world.pass(1_500);
    expect(world.run(ask, 'p2').outcome).toBe('granted');
  });

  it('is answered `timeout` for good once its patience is over', () => {
    take('orders/w1', { leaseMs: 60_000 });
    const ask = acquire('orders/w2', { requestId: 'r2', waitMs: 5_000 });
    world.run(ask);
    world.pass(5_000);
    expect(world.run(ask).outcome).toBe('timeout');
    world.pass(60_000);
    expect(world.run(ask).outcome).toBe('timeout');
  });

  it('is answered `timeout` even if it was cancelled meanwhile', () => {
    take('orders/w1', { leaseMs: 1_000 });
    const ask = acquire('orders/w2', { requestId: 'r2', waitMs: 5_000 });
    world.run(ask);
    expect(world.run(cancel('orders/w2', 'r2')).outcome).toBe('cancelled');
    world.pass(1_000);
    expect(world.run(ask).outcome).toBe('timeout');
  });
});
