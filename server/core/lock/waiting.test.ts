import { beforeEach, describe, expect, it } from 'vitest';
import {
  type AcquireOptions,
  acquire,
  type Caller,
  cancel,
  detach,
  giveUp,
  release,
  renew,
  stopRenewals,
} from '../testing/lock-requests';
import { LockWorld, START_AT } from '../testing/lock-world';
import type { AcquireCommand } from './lock-command';

let world: LockWorld;
let holder: number;

beforeEach(() => {
  world = new LockWorld();
  const answer = world.run(acquire('orders/holder', { leaseMs: 600_000 }));
  holder = answer.outcome === 'granted' ? answer.token : 0;
});

/** Joins the queue at a process, under a request id of its owner's name. */
const wait = (
  caller: Caller,
  process = 'p1',
  waitMs = 60_000,
  more: AcquireOptions = {},
): AcquireCommand => {
  const ask = acquire(caller, { waitMs, requestId: 'r', ...more });
  world.run(ask, process);
  return ask;
};

const free = (process = 'p1') => world.run(release('orders/holder', holder), process);
const owners = () => world.record?.queue.map(({ owner }) => owner);
const holders = () => world.record?.holds.map(({ owner }) => owner);

describe('a freed lock', () => {
  it('is granted to the first waiter at once if its caller is at the deciding process', () => {
    wait('orders/w1');
    wait('orders/w2');
    world.pass(2_000);
    free();
    expect(world.record).toMatchObject({
      holds: [{ owner: 'w1', grantedAt: START_AT + 2_000, waitedMs: 2_000 }],
      queue: [{ owner: 'w2' }],
      offers: [],
    });
  });

  it('is offered to the first waiter alone, if its caller is at another process', () => {
    wait('orders/w1', 'p2');
    wait('orders/w2', 'p1');
    free('p1');
    expect(world.record).toMatchObject({
      holds: [],
      offers: [{ ticket: 1, until: START_AT + 1_000 }],
    });
    expect(world.run(acquire('orders/late')).outcome).toBe('held');
  });

  it('is granted when the process of the offered waiter checks', () => {
    wait('orders/w1', 'p2');
    free('p1');
    world.pass(250);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(holders()).toEqual(['w1']);
    expect(world.record).toMatchObject({ offers: [], queue: [] });
  });

  it('is offered to the next waiter when the offer expires unclaimed', () => {
    wait('orders/w1', 'p2');
    wait('orders/w2', 'p1');
    free('p1');
    world.pass(1_000);
    world.run({ verb: 'expireAndPromote' }, 'p1');
    expect(holders()).toEqual(['w2']);
    expect(owners()).toEqual([]);
  });

  it('is offered for its whole time where the clock was set forward meanwhile', () => {
    wait('orders/w1', 'p2');
    wait('orders/w2', 'p1');
    free('p1');
    world.setForward(30_000);
    world.run({ verb: 'expireAndPromote' }, 'p1');
    expect(owners()).toEqual(['w1', 'w2']);
    world.pass(1_000);
    world.run({ verb: 'expireAndPromote' }, 'p1');
    expect(holders()).toEqual(['w2']);
  });

  it('is not granted to a waiter whose patience is over when it is written', () => {
    wait('orders/w1', 'p1', 1_000);
    world.pass(999);
    const stalled = world.propose(release('orders/holder', holder));
    world.pass(1);
    expect(world.write(stalled)).toBe(false);
    free();
    expect(holders()).toEqual([]);
  });

  it('skips all waiters of a dead process at once', () => {
    wait('orders/w1', 'p2');
    wait('orders/w2', 'p2');
    wait('orders/w3', 'p1');
    world.kill('p2');
    free('p1');
    expect(holders()).toEqual(['w3']);
  });

  it('skips a waiter of the deciding process whose caller has disconnected', () => {
    wait('orders/w1', 'p1');
    wait('orders/w2', 'p2');
    world.hangUp('p1');
    free('p1');
    expect(world.record).toMatchObject({ offers: [{ ticket: 2 }], queue: [{ owner: 'w2' }] });
  });
});

describe('giving up', () => {
  it('removes the waiter from the queue for good', () => {
    const ask = wait('orders/w1');
    expect(world.run(giveUp(ask))).toMatchObject({ outcome: 'timeout', queueLength: 0 });
    free();
    expect(world.run(ask).outcome).toBe('timeout');
  });

  it('gets the same answer when repeated, with the current holder', () => {
    const ask = wait('orders/w1');
    expect(world.run(giveUp(ask))).toMatchObject({ holders: [{ owner: 'holder' }] });
    free();
    expect(world.run(ask)).toMatchObject({ outcome: 'timeout', holders: [], queueLength: 0 });
    world.run(acquire('orders/next', { leaseMs: 5_000 }));
    world.pass(3_000);
    const holders = [{ owner: 'next', expiresInMs: 2_000 }];
    expect(world.run(ask)).toMatchObject({ outcome: 'timeout', holders, retryAfterMs: 2_000 });
    world.pass(2_000);
    expect(world.run(ask)).toMatchObject({ outcome: 'timeout', holders: [] });
    expect(world.record?.holds).toEqual([]);
  });

  it('is recorded at the timeout, also where it comes later, or when it comes before', () => {
    const ask = wait('orders/w1', 'p1', 5_000);
    const recorded = () => world.propose(giveUp(ask)).decision.events;
    const [early, atTimeout] = [4_990, 5_000].map((waitedMs) => {
      return [{ kind: 'timeout', at: START_AT + waitedMs, waitedMs }];
    });
    world.pass(4_990);
    expect(recorded()).toMatchObject(early ?? []);
    world.pass(1_000);
    expect(recorded()).toMatchObject(atTimeout ?? []);
  });

  it('is too late if the grant was faster', () => {
    const ask = wait('orders/w1');
    free();
    expect(world.run(giveUp(ask))).toMatchObject({ outcome: 'granted', waitedMs: 0 });
  });

  it('by an offered waiter passes the offer to the next', () => {
    const ask = wait('orders/w1', 'p2');
    wait('orders/w2', 'p3');
    free('p1');
    world.run(giveUp(ask), 'p2');
    expect(world.record).toMatchObject({ offers: [{ ticket: 2 }], queue: [{ owner: 'w2' }] });
  });

  it('does not affect a waiter that now waits at another process', () => {
    const ask = wait('orders/w1', 'p1');
    world.run(ask, 'p2');
    expect(world.run(giveUp(ask), 'p1')).toMatchObject({ outcome: 'queued', ticket: 1, place: 1 });
    expect(owners()).toEqual(['w1']);
  });
});

describe('disconnecting', () => {
  it('keeps the place for 2 s, and reports it', () => {
    wait('orders/w1', 'p2');
    const ask = wait('orders/w2');
    expect(world.run(detach(ask))).toMatchObject({ outcome: 'queued', ticket: 2, place: 2 });
    world.pass(1_999);
    world.run({ verb: 'expireAndPromote' }, 'p3');
    expect(owners()).toEqual(['w1', 'w2']);
    world.pass(1);
    world.run({ verb: 'expireAndPromote' }, 'p3');
    expect(owners()).toEqual(['w1']);
  });

  it('keeps the place for 2 s even if the lock is offered meanwhile', () => {
    const ask = wait('orders/w1');
    wait('orders/w2', 'p2');
    world.run(detach(ask));
    free();
    world.pass(1_999);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(owners()).toEqual(['w1', 'w2']);
    expect(world.run(ask, 'p3').outcome).toBe('granted');
  });

  it.each([
    ['the lock is free', () => free()],
    ['the lock is free, and offered to it before', null],
  ])('keeps it for hardly longer where the clock is set back: %s', (_, freeLater) => {
    const ask = wait('orders/w1');
    wait('orders/w2', 'p2');
    world.run(detach(ask));
    if (!freeLater) free();
    world.pass(-3_600_000);
    freeLater?.();
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(owners()).toEqual(['w1', 'w2']);
    world.pass(2_000);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(holders()).toEqual(['w2']);
    expect(world.run(ask, 'p3')).toMatchObject({ outcome: 'queued', place: 1 });
  });

  it('is too late if the grant was faster', () => {
    const ask = wait('orders/w1');
    free();
    expect(world.run(detach(ask)).outcome).toBe('granted');
  });

  it('does not affect a waiter that now waits at another process', () => {
    const ask = wait('orders/w1', 'p1');
    world.run(ask, 'p2');
    expect(world.run(detach(ask), 'p1')).toMatchObject({ outcome: 'queued', ticket: 1, place: 1 });
    expect(world.record?.queue[0]?.detachedUntil).toBe(null);
  });
});

describe('cancelling', () => {
  it('removes a waiter from the queue', () => {
    wait('orders/w1');
    expect(world.run(cancel('orders/w1', 'r'))).toEqual({ outcome: 'cancelled' });
    expect(owners()).toEqual([]);
  });

  it('of a lock that has just expired grants nothing first', () => {
    const ask = wait('orders/w1', 'p1', 700_000);
    world.pass(600_000);
    const proposal = world.propose({ ...cancel('orders/w1', 'r'), request: ask.request });
    expect(proposal.decision.answer).toEqual({ outcome: 'cancelled' });
    expect(proposal.decision.handOffs).toEqual([]);
  });

  it('releases what was granted meanwhile', () => {
    wait('orders/w1');
    free();
    expect(world.run(cancel('orders/w1', 'r'))).toEqual({ outcome: 'released' });
    expect(holders()).toEqual([]);
  });

  it('finds nothing the second time', () => {
    wait('orders/w1');
    world.run(cancel('orders/w1', 'r'));
    expect(world.run(cancel('orders/w1', 'r'))).toEqual({ outcome: 'none' });
  });

  it('finds nothing once the lease has expired', () => {
    const world = new LockWorld();
    world.run(acquire('orders/w1', { leaseMs: 1_000, requestId: 'r' }));
    world.pass(1_000);
    expect(world.run(cancel('orders/w1', 'r'))).toEqual({ outcome: 'none' });
  });

  it('undoes a re-entry once, and never the entry before it', () => {
    const reenter = acquire('orders/holder', { reentrant: true, requestId: 'again' });
    world.run(reenter);
    expect(world.run(cancel('orders/holder', 'again'))).toEqual({ outcome: 'released' });
    expect(world.run(cancel('orders/holder', 'again'))).toEqual({ outcome: 'none' });
    expect(world.record?.holds).toMatchObject([{ token: holder, count: 1 }]);
    expect(world.run(reenter)).toEqual({ outcome: 'ended', token: holder, cause: 'released' });
  });

  it('does not affect requests of another owner or service', () => {
    const { request } = wait('orders/w1');
    const byOwner = { verb: 'cancel', service: 'orders', owner: 'w2', request } as const;
    const byService = { verb: 'cancel', service: 'billing', owner: 'w1', request } as const;
    expect(world.run(byOwner)).toEqual({ outcome: 'none' });
    expect(world.run(byService)).toEqual({ outcome: 'none' });
    expect(owners()).toEqual(['w1']);
  });
});

describe('a grant whose only caller hung up before the answer', () => {
  const hangUp = (ask: AcquireCommand) => world.run({ ...detach(ask), hungUp: true });
  const leaseEnd = () => world.record?.holds[0]?.expiresAt;

  it('is kept as long as a place in a queue, then its full lease if its caller asks again', () => {
    const ask = wait('orders/w1');
    free();
    hangUp(ask);
    expect(leaseEnd()).toBe(START_AT + 2_000);
    world.pass(1_999);
    expect(world.run(ask, 'p2')).toMatchObject({ outcome: 'granted', expiresInMs: ask.leaseMs });
    expect(leaseEnd()).toBe(START_AT + 1_999 + ask.leaseMs);
    hangUp(ask);
    expect(leaseEnd()).toBe(START_AT + 1_999 + ask.leaseMs);
  });

  it('is over after that, and is not granted again under its id', () => {
    const ask = wait('orders/w1');
    free();
    hangUp(ask);
    world.pass(2_000);
    expect(world.run(ask)).toMatchObject({ outcome: 'ended', cause: 'released' });
    expect(world.run(acquire('orders/w2'))).toMatchObject({ outcome: 'granted' });
  });

  it('is undone then, not lost: no lock delay follows, and it is not held at least', () => {
    world.policy = { ...world.policy, lockDelayMs: 20_000 };
    const ask = wait('orders/w1', 'p1', 60_000, { holdAtLeastMs: 10_000 });
    free();
    hangUp(ask);
    world.pass(5_000);
    const { events } = world.propose({ verb: 'expireAndPromote' }).decision;
    expect(events).toMatchObject([{ kind: 'late', owner: 'w1', at: START_AT + 2_000 }]);
    expect(world.run(acquire('orders/w2'))).toMatchObject({ outcome: 'granted' });
  });

  it('has its full lease once its caller asks again, even if its renewals were blocked', () => {
    const ask = wait('orders/w1', 'p1', 60_000, { holdAtLeastMs: 8_000 });
    free();
    hangUp(ask);
    world.run(stopRenewals(world.record?.holds[0]?.token ?? 0));
    world.pass(1_000);
    const expiresAt = START_AT + ask.leaseMs;
    expect(world.run(ask, 'p2')).toMatchObject({ outcome: 'granted', expiresAt });
    world.pass(6_999);
    expect(world.run(acquire('orders/w2')).outcome).toBe('held');
  });

  it('keeps its lease if its holder renewed it, which proves that the caller received it', () => {
    const ask = wait('orders/w1');
    free();
    const { token = 0 } = world.record?.holds[0] ?? {};
    world.run(renew('orders/w1', token, 60_000));
    hangUp(ask);
    expect(leaseEnd()).toBe(START_AT + 60_000);
  });
});

describe('a waiter whose place was lost between two requests', () => {
  const detached = (waitMs = 60_000) => {
    const ask = wait('orders/w1', 'p1', waitMs);
    world.pass(1_000);
    world.run(detach(ask));
    world.pass(9_000);
    world.run({ verb: 'expireAndPromote' }, 'p2');
    expect(owners()).toEqual([]);
    return ask;
  };

  it('has waited since its first request, at whatever process it asks again', () => {
    const ask = detached();
    expect(world.run(ask, 'p2')).toMatchObject({ outcome: 'queued', patienceLeftMs: 50_000 });
    world.pass(5_000);
    free('p2');
    expect(world.record?.holds).toMatchObject([{ owner: 'w1', waitedMs: 15_000 }]);
  });

  it('has waited since its first request even if the lock is free by then', () => {
    const ask = detached();
    free('p2');
    expect(world.run(ask, 'p2')).toMatchObject({ outcome: 'granted', waitedMs: 10_000 });
  });

  it('is cancelled for good', () => {
    const ask = detached();
    expect(world.run(cancel('orders/w1', 'r'), 'p2')).toEqual({ outcome: 'cancelled' });
    expect(world.run(cancel('orders/w1', 'r'), 'p2')).toEqual({ outcome: 'none' });
    free('p2');
    expect(world.run(ask, 'p3')).toMatchObject({ outcome: 'timeout' });
  });

  it('cannot be cancelled once it has timed out', () => {
    detached(10_000);
    expect(world.run(cancel('orders/w1', 'r'), 'p2')).toEqual({ outcome: 'none' });
  });

  it('does not get its patience twice', () => {
    const ask = detached(10_000);
    expect(world.run(ask, 'p2')).toMatchObject({ outcome: 'timeout' });
    expect(owners()).toEqual([]);
  });
});
