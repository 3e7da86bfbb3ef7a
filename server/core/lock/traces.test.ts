import { beforeEach, describe, expect, it } from 'vitest';
import {
  acquire,
  type Caller,
  detach,
  forceRelease,
  giveUp,
  reassign,
  release,
  renew,
} from '../testing/lock-requests';
import { LockWorld } from '../testing/lock-world';
import { MultiLockWorld, multiLockOf } from '../testing/multi-lock-world';

/** The header of the n-th caller. */
const trace = (n: number) => `00-${String(n).padStart(32, 'a')}-${String(n).padStart(16, 'b')}-01`;

let world: LockWorld;

beforeEach(() => {
  world = new LockWorld();
});

type Options = Parameters<typeof acquire>[1];

const take = (caller: Caller, options: Options) => {
  const answer = world.run(acquire(caller, options));
  if (answer.outcome !== 'granted') throw new Error(`expected a grant, got ${answer.outcome}`);
  return answer.token;
};

const queue = (caller: Caller, n: number, options: Options = {}, process = 'p1') => {
  const ask = acquire(caller, { waitMs: 60_000, traceparent: trace(n), ...options });
  expect(world.run(ask, process)).toMatchObject({ outcome: 'queued' });
  return ask;
};

const held = (caller: Caller) => {
  const answer = world.run(acquire(caller));
  if (answer.outcome !== 'held') throw new Error(`expected a refusal, got ${answer.outcome}`);
  return answer.holders.map(({ traceparent }) => traceparent);
};

const inspected = (service?: string) =>
  world
    .run(service === undefined ? { verb: 'inspect' } : { verb: 'inspect', service })
    .holders.map(({ traceparent }) => traceparent);

const kept = () => world.record?.holds.map(({ traceparent }) => traceparent);
const waitedFor = () => world.record?.holds.map((hold) => hold.waitedForTraceparent);

describe('the trace of an acquire', () => {
  it('stays with its hold across renewals and re-entries, whatever trace those belong to', () => {
    const token = take('orders/w1', { reentrant: true, traceparent: trace(1) });
    world.run(renew('orders/w1', token));
    world.run(acquire('orders/w1', { reentrant: true, traceparent: trace(2) }));
    world.run(acquire('orders/w1', { reentrant: true }));
    expect(kept()).toEqual([trace(1)]);
  });

  it('is kept for each hold of a shared lock', () => {
    take('orders/w1', { mode: 'shared', traceparent: trace(1) });
    take('orders/w2', { mode: 'shared' });
    take('orders/w3', { mode: 'shared', traceparent: trace(3) });
    expect(held('orders/w4')).toEqual([trace(1), undefined, trace(3)]);
  });

  it('is in the history of its grant, and in no other event', () => {
    const { decision } = world.propose(acquire('orders/w1', { traceparent: trace(1) }));
    expect(decision.events).toMatchObject([{ kind: 'granted', traceparent: trace(1) }]);
    const token = take('orders/w1', { traceparent: trace(1) });
    const { decision: end } = world.propose(release('orders/w1', token));
    expect(JSON.stringify(end.events)).not.toContain(trace(1));
  });

  it('is not part of the request: repeated from another span it gets the same answer', () => {
    const ask = acquire('orders/w1', { requestId: 'r1', traceparent: trace(1) });
    const first = world.run(ask);
    expect(world.run({ ...ask, traceparent: trace(2) })).toEqual(first);
    expect(kept()).toEqual([trace(1)]);
  });
});

describe('a trace is visible to', () => {
  it('its own service alone, in every answer that names the holder', () => {
    take('orders/w1', { traceparent: trace(1) });
    expect(held('orders/w2')).toEqual([trace(1)]);
    expect(held('billing/w2')).toEqual([undefined]);
    expect(inspected('orders')).toEqual([trace(1)]);
    expect(inspected('billing')).toEqual([undefined]);
    expect(inspected()).toEqual([undefined]);
  });

  it.each([
    ['orders/w2', trace(1)],
    ['billing/w2', undefined],
  ] as const)('when a wait ends without a grant, for %s', (caller, seen) => {
    take('orders/w1', { traceparent: trace(1) });
    const ask = queue(caller, 2, { waitMs: 1_000, requestId: 'r1' });
    world.pass(1_000);
    const timeout = { outcome: 'timeout', holders: [{ owner: 'w1' }] };
    const first = world.run(giveUp(ask));
    expect(first).toMatchObject(timeout);
    const again = world.run(ask);
    expect(again).toMatchObject(timeout);
    for (const answer of [first, again]) {
      expect('holders' in answer && answer.holders[0]?.traceparent).toBe(seen);
    }
  });

  it('no service once its caller is no longer known', () => {
    take('orders/w1', { traceparent: trace(1) });
    const answer = world.run(detach(acquire('orders/w2')));
    expect(answer).toMatchObject({ outcome: 'timeout' });
    expect(JSON.stringify(answer)).not.toContain(trace(1));
  });
});

describe('a grant after a wait', () => {
  it('names the hold whose end made room for it, for a repeated request too', () => {
    const token = take('orders/w1', { traceparent: trace(1) });
    const ask = queue('orders/w2', 2, { requestId: 'r1' });
    world.pass(500);
    world.run(release('orders/w1', token));
    expect(kept()).toEqual([trace(2)]);
    expect(waitedFor()).toEqual([trace(1)]);
    const granted = { outcome: 'granted', waitedForTraceparent: trace(1) };
    expect(world.run(ask)).toMatchObject(granted);
    expect(world.run(ask)).toMatchObject(granted);
  });

  it('names the hold right before it, not the one that it found on arrival', () => {
    const token = take('orders/w1', { traceparent: trace(1) });
    queue('orders/w2', 2);
    queue('orders/w3', 3);
    world.run(release('orders/w1', token));
    world.run(release('orders/w2', world.record?.holds[0]?.token ?? 0));
    expect(waitedFor()).toEqual([trace(2)]);
  });

  it('names it also when the lease expired, or an operator ended or reassigned it', () => {
    take('orders/w1', { leaseMs: 1_000, traceparent: trace(1) });
    queue('orders/w2', 2);
    world.pass(1_000);
    world.run({ verb: 'expireAndPromote' });
    expect(waitedFor()).toEqual([trace(1)]);
    queue('orders/w3', 3);
    queue('orders/w4', 4);
    const token = () => world.record?.holds[0]?.token ?? 0;
    world.run(reassign(token(), world.record?.queue[1]?.ticket ?? 0));
    expect(waitedFor()).toEqual([trace(2)]);
    world.run(forceRelease(token(), 'again'));
    expect(waitedFor()).toEqual([trace(4)]);
  });

  it('names it also when the caller waits at another process, or lost its place meanwhile', () => {
    const token = take('orders/w1', { traceparent: trace(1) });
    queue('orders/w2', 2, {}, 'p2');
    world.run(release('orders/w1', token));
    expect(kept()).toEqual([]);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(kept()).toEqual([trace(2)]);
    expect(waitedFor()).toEqual([trace(1)]);
  });

  it('names none if that hold was of another service, untraced, or ended before the wait', () => {
    const foreign = take('billing/w1', { traceparent: trace(1) });
    queue('orders/w2', 2);
    world.run(release('billing/w1', foreign));
    expect(waitedFor()).toEqual([undefined]);
    world.run(release('orders/w2', world.record?.holds[0]?.token ?? 0));
    world.pass(10);
    const token = take('orders/w3', {});
    expect(waitedFor()).toEqual([undefined]);
    queue('orders/w4', 4);
    world.run(release('orders/w3', token));
    expect(waitedFor()).toEqual([undefined]);
  });
});

describe('several locks together', () => {
  it('keep one trace, show it only to their service, and name the hold that each awaited', () => {
    const locks = new MultiLockWorld();
    const first = { ...multiLockOf('ab'), traceparent: trace(1) };
    const grants = locks.runSet(first);
    expect(['a', 'b'].map((name) => locks.records.get(name)?.holds[0]?.traceparent)).toEqual([
      trace(1),
      trace(1),
    ]);
    const later = { ...multiLockOf('ab', { owner: 'w2' }), traceparent: trace(2) };
    expect(locks.runSet(later)).toMatchObject({
      outcome: 'held',
      blockedBy: [{ holders: [{ traceparent: trace(1) }] }, { holders: [{ owner: 'w1' }] }],
    });
    expect(JSON.stringify(locks.runSet({ ...later, service: 'billing' }))).not.toContain(trace(1));
    expect(locks.runSet({ ...later, waitMs: 60_000 })).toMatchObject({ outcome: 'queued' });
    if (!('grants' in grants)) throw new Error('The first set was not granted.');
    for (const { name, token } of grants.grants) locks.run(name, release('orders/w1', token));
    expect(locks.runSet({ ...later, waitMs: 60_000 })).toMatchObject({
      outcome: 'granted',
      grants: [{ waitedForTraceparent: trace(1) }, { waitedForTraceparent: trace(1) }],
    });
  });
});
