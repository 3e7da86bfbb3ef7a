import { describe, expect, it } from 'vitest';
import type { LockEvent } from '../lock/lock-event';
import {
  acquire,
  cancel,
  forceRelease,
  freeze,
  release,
  renew,
  unfreeze,
} from '../testing/lock-requests';
import { LockWorld, START_AT } from '../testing/lock-world';
import { buildTimeline } from './lock-timeline';

/** A lock whose every event is kept, and what its record said after each write. */
function recordedWorld() {
  const lock = new LockWorld();
  const events: LockEvent[] = [];
  lock.onWrite = ({ decision }) => events.push(...decision.events);
  return { lock, events };
}

const party = ({ service, owner }: { service: string; owner: string }) => `${service}/${owner}`;

const covers = (at: number) => (bar: { from: number; to: number | null }) =>
  bar.from <= at && (bar.to ?? Number.POSITIVE_INFINITY) > at;

/** Small numbers from a fixed sequence, so that every run plays the same. */
function sequence(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return Math.floor((state / 0x7fffffff) * below) % below;
  };
}

describe('the timeline of a lock', () => {
  it.each([1, 2, 3, 4, 5, 6])(
    'shows at each instant who held the lock and who waited for it (sequence %i)',
    (seed) => {
      const { lock, events } = recordedWorld();
      const pick = sequence(seed);
      const log: { at: number; held: number[]; waiting: string[] }[] = [];
      for (let step = 0; step < 300; step += 1) {
        const caller = `orders/w${pick(6)}` as const;
        const holds = lock.record?.holds ?? [];
        const hold = holds[pick(Math.max(1, holds.length))];
        switch (pick(8)) {
          case 0:
          case 1:
          case 2:
            lock.run(
              acquire(caller, {
                leaseMs: 2_000 + pick(20_000),
                waitMs: pick(3) === 0 ? 0 : 500 + pick(10_000),
                mode: pick(3) === 0 ? 'shared' : 'exclusive',
                requestId: `r${step}`,
              }),
              `p${pick(2)}`,
            );
            break;
          case 3:
          case 4:
            if (hold) lock.run(release(`${hold.service}/${hold.owner}`, hold.token));
            break;
          case 5:
            if (hold) lock.run(renew(`${hold.service}/${hold.owner}`, hold.token));
            break;
          case 6:
            if (hold && pick(3) === 0) lock.run(forceRelease(hold.token, `act ${step}`));
            else lock.run(cancel(caller, `r${step - pick(6)}`));
            break;
          default:
            if (pick(4) === 0)
              lock.run(lock.record?.frozen ? unfreeze(`${step}`) : freeze(`${step}`));
        }
        lock.pass(200 + pick(1_500));
        lock.run({ verb: 'expireAndPromote' });
        log.push({
          at: lock.now,
          held: (lock.record?.holds ?? []).map(({ token }) => token).sort(),
          waiting: (lock.record?.queue ?? []).map(party).sort(),
        });
        lock.pass(1);
      }
      expect(log.filter(({ waiting }) => waiting.length > 0).length).toBeGreaterThan(30);
      for (const { at, held, waiting } of log) {
        const since = events.filter((event) => event.at >= at);
        for (const { holds, waits } of [
          buildTimeline(events, at, at + 1),
          buildTimeline(since, at, at + 1, lock.record),
        ]) {
          const tokens = holds.filter(covers(at)).map(({ token }) => token);
          expect(tokens.sort()).toEqual(held);
          expect(waits.filter(covers(at)).map(party).sort()).toEqual(waiting);
        }
      }
    },
  );

  it('derives the start of a hold or wait that is older than the events from its end', () => {
    const { lock, events } = recordedWorld();
    const first = lock.run(acquire('orders/w1', { leaseMs: 60_000 }));
    lock.run(acquire('orders/w2', { waitMs: 60_000 }));
    lock.pass(5_000);
    lock.run(release('orders/w1', first.outcome === 'granted' ? first.token : 0));
    const late = events.slice(-2);
    expect(late.map(({ kind }) => kind)).toEqual(['released', 'granted']);
    const { holds, waits } = buildTimeline(late, START_AT, lock.now);
    expect(holds[0]).toMatchObject({ from: START_AT, to: START_AT + 5_000, end: 'released' });
    expect(waits).toEqual([
      { from: START_AT, to: START_AT + 5_000, service: 'orders', owner: 'w2', end: 'granted' },
    ]);
  });

  it('shows an ongoing wait, even if the same owner waited twice and was granted once', () => {
    const { lock, events } = recordedWorld();
    const first = lock.run(acquire('orders/w1', { leaseMs: 60_000 }));
    lock.run(acquire('orders/w2', { waitMs: 60_000 }));
    lock.pass(1_000);
    lock.run(acquire('orders/w2', { waitMs: 60_000 }));
    lock.pass(4_000);
    lock.run(release('orders/w1', first.outcome === 'granted' ? first.token : 0));
    const { waits } = buildTimeline(events.slice(-2), lock.now, lock.now + 1, lock.record);
    expect(waits).toMatchObject([
      { from: START_AT, to: lock.now, end: 'granted' },
      { from: START_AT + 1_000, to: null },
    ]);
  });

  it('shows a multi-lock that moved into the queue once, with its true age', () => {
    const { lock, events } = recordedWorld();
    lock.run(acquire('orders/w1', { leaseMs: 60_000 }));
    lock.pass(5_000);
    lock.run(acquire('orders/w2', { waitMs: 60_000 }));
    const { record } = lock;
    const [waiter] = record?.queue ?? [];
    if (!record || !waiter) throw new Error('No caller waits.');
    const moved = { ...record, queue: [{ ...waiter, enqueuedAt: START_AT - 10_000 }] };
    const since = events.filter(({ kind }) => kind === 'queued');
    const { waits } = buildTimeline(since, START_AT, lock.now + 1, moved);
    expect(waits).toMatchObject([{ owner: 'w2', from: START_AT - 10_000, to: null }]);
  });

  it('shows a granted multi-lock in no queue that it had left or was never in', () => {
    const whole = { service: 'orders', owner: 'w1', mode: 'exclusive' } as const;
    const granted: LockEvent = {
      ...{ kind: 'granted', at: START_AT + 9_000, rev: 9, token: 4 },
      ...{ ...whole, waitedMs: 9_000, expiresAt: START_AT + 20_000 },
    };
    const left: LockEvent[] = [
      { kind: 'queued', at: START_AT, rev: 2, ...whole, patienceMs: 60_000 },
      { kind: 'moved', at: START_AT + 5_000, rev: 5, ...whole, waitedMs: 5_000 },
    ];
    const waitsOf = (events: LockEvent[], since: number) =>
      buildTimeline(events, START_AT, START_AT + 10_000, null, since).waits;
    expect(waitsOf([...left, granted], START_AT)).toMatchObject([
      { from: START_AT, to: START_AT + 5_000, end: 'moved' },
    ]);
    expect(waitsOf([granted], START_AT)).toEqual([]);
    expect(waitsOf([granted], START_AT + 1)).toMatchObject([{ from: START_AT, end: 'granted' }]);
  });

  it('shows what operators did, with their reasons', () => {
    const { lock, events } = recordedWorld();
    const answer = lock.run(acquire('orders/w1'));
    lock.run(forceRelease(answer.outcome === 'granted' ? answer.token : 0));
    const { acts, holds } = buildTimeline(events, START_AT - 1, START_AT + 1);
    expect(acts).toEqual([{ at: START_AT, kind: 'forced', by: 'ada', reason: 'it hangs' }]);
    expect(holds[0]?.end).toBe('forced');
  });

  it('draws many short holds as a few bars with their number', () => {
    const { lock, events } = recordedWorld();
    for (let i = 0; i < 1_000; i += 1) {
      const answer = lock.run(acquire('orders/w1'));
      lock.pass(5);
      lock.run(release('orders/w1', answer.outcome === 'granted' ? answer.token : 0));
      lock.pass(5);
    }
    const { holds } = buildTimeline(events, START_AT, START_AT + 60_000);
    expect(holds.length).toBeLessThan(20);
    expect(holds.reduce((sum, { count }) => sum + count, 0)).toBe(1_000);
  });

  it('lists the open waits and the longest, and counts the others', () => {
    const { lock, events } = recordedWorld();
    lock.run(acquire('orders/holder', { leaseMs: 600_000 }));
    for (let i = 0; i < 100; i += 1) {
      const waitMs = i < 90 ? 100 + i : 60_000;
      lock.run(acquire(`orders/w${i}`, { waitMs }));
    }
    lock.pass(1_000);
    lock.run({ verb: 'expireAndPromote' });
    const { waits, moreWaits } = buildTimeline(events, START_AT, lock.now);
    expect(waits.filter(({ to }) => to === null)).toHaveLength(10);
    expect([waits.length, moreWaits]).toEqual([60, 40]);
  });

  it('omits holds that ended before it or began after it', () => {
    const { lock, events } = recordedWorld();
    const answer = lock.run(acquire('orders/w1'));
    lock.run(release('orders/w1', answer.outcome === 'granted' ? answer.token : 0));
    lock.pass(10_000);
    lock.run(acquire('orders/w2'));
    expect(buildTimeline(events, START_AT + 1, lock.now).holds).toEqual([]);
    expect(buildTimeline(events, START_AT + 1, lock.now + 1).holds).toHaveLength(1);
  });
});
