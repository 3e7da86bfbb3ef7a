import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { LockyardError } from '../contract/errors';
import { freshKey, readOne, stored, swapOne, update } from '../storage/conformance/testing/changes';
import { storeNames } from '../storage/conformance/testing/stores-under-test';
import { type Change, type RecordKey, StoreError } from '../storage/record-store';
import {
  acquire,
  EngineRig,
  eventKinds,
  type Member,
  pause,
  release,
  releaseCommand,
  renew,
  takeLock,
} from './testing/engine-rig';
import { eventsByLock } from './testing/events-by-lock';
import { type Fate, firstFates, PASS, touching } from './testing/faulty-store';
import { acquireMultiLock, cancelMultiLock, takeMultiLock } from './testing/multi-lock-calls';
import { reasonOf, timed, untilQueued } from './testing/observed-calls';

/** Granted in time, also where a busy machine takes long over it. */
const SHORT_MS = 1_000;

/** Nearly all that they do is wait, each on a key and a process of its own. */
vi.setConfig({ maxConcurrency: 12 });

describe.each(storeNames)('an engine over %s', (name) => {
  let rig: EngineRig;
  let other: Member;

  beforeAll(async () => {
    rig = await EngineRig.open(name);
    other = await rig.join();
  });
  afterAll(() => rig.close());

  const holdersOf = async (key: RecordKey) =>
    (await other.engine.run(key, { verb: 'inspect' })).holders;
  const sufferAt = (where: Member, key: RecordKey, ...fates: Fate[]) => {
    where.faults.onSwap = firstFates(touching(key), ...fates);
  };
  /** Another writer writes the record, unchanged, under a new rev. */
  const bump = async (key: RecordKey) => {
    const record = await stored(rig.under.store, key);
    await swapOne(rig.under.store, update(key, record, { head: record.head }));
  };

  const losses: [string, Fate[]][] = [
    ['whose reply is lost', [{ kind: 'loseReply' }]],
    ['that is lost on its way', [{ kind: 'loseRequest' }]],
    ['that lands late', [{ kind: 'landLate', afterMs: 20 }]],
    ['that lands after it was tried again', [{ kind: 'landLate', afterMs: 200 }]],
    ['whose reply is lost three times', Array(3).fill({ kind: 'loseReply' })],
    [
      'that is lost in every way',
      [{ kind: 'loseRequest' }, { kind: 'landLate', afterMs: 120 }, { kind: 'loseReply' }],
    ],
  ];

  describe.concurrent('rule 7: if the outcome cannot be known', () => {
    /** The reply is lost, and another writer changes the record before the outcome can be read. */
    const loseAndMoveOn = (where: Member, key: RecordKey) =>
      sufferAt(where, key, { kind: 'loseReply' }, { kind: 'pass', first: () => bump(key) });

    it('an acquire without a request id is UNKNOWN', async () => {
      const [own, key] = [await rig.join(), freshKey()];
      loseAndMoveOn(own, key);
      expect(await reasonOf(acquire(own, key, 'w1'))).toBe('UNKNOWN');
    });

    it('an acquire with a request id is found by it', async () => {
      const [own, key] = [await rig.join(), freshKey()];
      loseAndMoveOn(own, key);
      const { token } = await takeLock(own, key, 'w1', { requestId: 'r1' });
      expect(await holdersOf(key)).toMatchObject([{ token, holdCount: 1 }]);
      expect(await eventKinds(rig.under.store, key)).toEqual(['granted']);
    });

    /** What keeps the answer to a request from it whose change may have been applied. */
    const hindrances: [string, (own: Member, key: RecordKey) => void][] = [
      [
        'its time is over',
        (own, key) => {
          const first = () => bump(key);
          sufferAt(own, key, { kind: 'loseReply' }, { kind: 'pass', beforeMs: 3_600, first });
        },
      ],
      [
        'nothing can be read any more',
        (own, key) => {
          const first = async () => {
            await bump(key);
            own.faults.onRead = () => ({ kind: 'refuse' });
          };
          sufferAt(own, key, { kind: 'loseReply' }, { kind: 'pass', first });
        },
      ],
    ];

    it.each(hindrances)(
      'no request is answered as if nothing was changed: %s',
      async (_, hinder) => {
        const [own, key] = [await rig.join(), freshKey()];
        hinder(own, key);
        const asked = acquire(own, key, 'w1', { leaseMs: 20_000, requestId: 'r1' });
        expect(await reasonOf(asked)).toBe('UNKNOWN');
        own.faults.onRead = () => PASS;
        expect(await holdersOf(key)).toMatchObject([{ owner: 'w1' }]);
      },
    );

    it.each(hindrances)(
      'no multi-lock is answered as if nothing was changed: %s',
      async (_, hinder) => {
        const [own, key] = [await rig.join(), freshKey()];
        hinder(own, key);
        const asked = acquireMultiLock(own, [key], 'w1', { leaseMs: 20_000, requestId: 'r1' });
        expect(await reasonOf(asked)).toBe('UNKNOWN');
        own.faults.onRead = () => PASS;
        expect(await holdersOf(key)).toMatchObject([{ owner: 'w1' }]);
      },
    );

    it('a cancel of a multi-lock is UNKNOWN', async () => {
      const [own, key] = [await rig.join(), freshKey()];
      await acquireMultiLock(own, [key], 'w1', { leaseMs: 20_000, requestId: 'r1' });
      loseAndMoveOn(own, key);
      expect(await reasonOf(cancelMultiLock(own, [key], 'w1', 'r1'))).toBe('UNKNOWN');
      expect(await holdersOf(key)).toEqual([]);
    });

    it('an undone multi-lock grant removes only its own entry from a re-entered hold', async () => {
      const [own, key] = [await rig.join(), freshKey()];
      const reenter = () => takeLock(other, key, 'w1', { reentrant: true });
      const lost: Fate[] = [{ kind: 'loseReply' }, { kind: 'pass', first: () => bump(key) }];
      sufferAt(own, key, { kind: 'pass', last: reenter }, ...lost);
      const wait = { hasHungUp: () => true };
      const { grants } = await takeMultiLock(own, [key], 'w1', { wait });
      expect(await holdersOf(key)).toMatchObject([{ token: grants[0]?.token, holdCount: 1 }]);
    });

    it('a release is UNKNOWN if its lock is deleted before the outcome is read', async () => {
      const [own, key] = [await rig.join(), freshKey()];
      const { token } = await takeLock(own, key, 'w1');
      const remove = async () => {
        const { rev, writer } = await stored(rig.under.store, key);
        await rig.under.store.deleteRecords([{ key, rev, writer }]);
      };
      sufferAt(own, key, { kind: 'loseReply' }, { kind: 'pass', first: remove });
      expect(await reasonOf(release(own, key, 'w1', token))).toBe('UNKNOWN');
    });

    it('releasing one entry without a request id is UNKNOWN, and not applied twice', async () => {
      const [own, key] = [await rig.join(), freshKey()];
      const { token } = await takeLock(own, key, 'w1');
      await takeLock(own, key, 'w1', { reentrant: true });
      await takeLock(own, key, 'w1', { reentrant: true });
      loseAndMoveOn(own, key);
      expect(await reasonOf(release(own, key, 'w1', token))).toBe('UNKNOWN');
      expect(await holdersOf(key)).toMatchObject([{ holdCount: 2 }]);
    });

    it('releasing one entry with a request id is applied once, with a known outcome', async () => {
      const [own, key] = [await rig.join(), freshKey()];
      const { token } = await takeLock(own, key, 'w1');
      await takeLock(own, key, 'w1', { reentrant: true });
      await takeLock(own, key, 'w1', { reentrant: true });
      loseAndMoveOn(own, key);
      const answer = await own.engine.run(key, releaseCommand(key, 'w1', token, 'out'));
      expect(answer).toEqual({ outcome: 'decremented', holdCount: 2 });
      expect(await holdersOf(key)).toMatchObject([{ holdCount: 2 }]);
    });

    it('a waiter granted the lock by this swap does not wait behind its own hold', async () => {
      const [own, key] = [await rig.join(), freshKey()];
      const { token } = await takeLock(own, key, 'w1');
      const waiting = acquire(own, key, 'w2', { waitMs: 15_000, leaseMs: 15_000 });
      await untilQueued(own, key, 1);
      sufferAt(own, key, { kind: 'loseReply' }, { kind: 'pass', first: () => bump(key) });
      const startedAt = performance.now();
      expect(await reasonOf(release(own, key, 'w1', token))).toBe('UNKNOWN');
      const outcome = await waiting.then(
        (answer) => answer.outcome,
        (error: LockyardError) => error.reason,
      );
      expect(['granted', 'UNKNOWN']).toContain(outcome);
      expect(performance.now() - startedAt).toBeLessThan(10_000);
    });

    it('replies that are lost again and again end in UNKNOWN within 5 s', async () => {
      const [own, key] = [await rig.join(), freshKey()];
      const startedAt = performance.now();
      own.faults.onSwap = (changes) => (touching(key)(changes) ? { kind: 'loseRequest' } : PASS);
      expect(await reasonOf(acquire(own, key, 'w1'))).toBe('UNKNOWN');
      expect(performance.now() - startedAt).toBeLessThan(9_000);
    });

    it('requests that are refused again and again end in BACKEND_DOWN within 5 s', async () => {
      const [own, key] = [await rig.join(), freshKey()];
      const startedAt = performance.now();
      own.faults.onSwap = (changes) => (touching(key)(changes) ? { kind: 'refuse' } : PASS);
      expect(await reasonOf(acquire(own, key, 'w1'))).toBe('BACKEND_DOWN');
      expect(performance.now() - startedAt).toBeLessThan(9_000);
    });

    it('reads that fail again and again end in BACKEND_DOWN within 5 s', async () => {
      const [own, key] = [await rig.join(), freshKey()];
      const startedAt = performance.now();
      own.faults.onRead = (keys) =>
        keys.some((each) => each.name === key.name) ? { kind: 'refuse' } : PASS;
      expect(await reasonOf(acquire(own, key, 'w1'))).toBe('BACKEND_DOWN');
      own.faults.onRead = () => PASS;
      expect(performance.now() - startedAt).toBeLessThan(9_000);
    });
  });

  describe.concurrent('a command that loses every compare-and-swap', () => {
    const loseRaces = (own: Member, key: RecordKey, untilMs: number) => {
      const startedAt = performance.now();
      own.faults.onSwap = (changes) =>
        touching(key)(changes) && performance.now() - startedAt < untilMs
          ? { kind: 'pass', first: () => bump(key) }
          : PASS;
      return () => performance.now() - startedAt;
    };

    it.each(['renew', 'release'] as const)(
      '%s spends its whole budget, then it is CONTENDED',
      async (verb) => {
        const [own, key] = [await rig.join(), freshKey()];
        const { token } = await takeLock(own, key, 'w1', { leaseMs: 60_000 });
        const passed = loseRaces(own, key, 60_000);
        const run = verb === 'renew' ? renew : release;
        expect(await reasonOf(run(own, key, 'w1', token))).toBe('CONTENDED');
        expect(passed()).toBeGreaterThan(3_000);
        expect(passed()).toBeLessThan(9_000);
        expect(await holdersOf(key)).toMatchObject([{ token }]);
      },
    );

    it('is CONTENDED if its store rolls it back each time', async () => {
      const [own, key] = [await rig.join(), freshKey()];
      const { token } = await takeLock(own, key, 'w1', { leaseMs: 60_000 });
      own.faults.onSwap = (changes) => (touching(key)(changes) ? { kind: 'rollBack' } : PASS);
      expect(await reasonOf(renew(own, key, 'w1', token))).toBe('CONTENDED');
    });

    it('succeeds as soon as the conflicts end', async () => {
      const [own, key] = [await rig.join(), freshKey()];
      const { token } = await takeLock(own, key, 'w1');
      loseRaces(own, key, 800);
      expect(await renew(own, key, 'w1', token)).toMatchObject({ outcome: 'renewed' });
    });
  });

  it.concurrent('no waiter that may have been granted is answered as if it was not', async () => {
    const [own, key] = [await rig.join(), freshKey()];
    const { token } = await takeLock(own, key, 'w0');
    const waiting = reasonOf(acquire(own, key, 'w1', { waitMs: 5_000, leaseMs: 20_000 }));
    await untilQueued(own, key, 1);
    own.faults.onSwap = (changes) => {
      if (!touching(key)(changes)) return PASS;
      queueMicrotask(() => own.faults.goAway());
      return { kind: 'loseReply' };
    };
    const releasing = release(own, key, 'w0', token).catch(() => undefined);
    expect(await waiting).toBe('UNKNOWN');
    expect(await holdersOf(key)).toMatchObject([{ owner: 'w1' }]);
    await releasing;
    own.faults.comeBack();
  });

  describe.each(losses)('rule 7: a swap %s', (_, fates) => {
    it.concurrent('grants once, with one history entry', async () => {
      const [own, key] = [await rig.join(), freshKey()];
      sufferAt(own, key, ...fates);
      const { token } = await takeLock(own, key, 'w1');
      await own.faults.allLanded();
      expect(await holdersOf(key)).toMatchObject([{ token, holdCount: 1 }]);
      expect(await eventKinds(rig.under.store, key)).toEqual(['granted']);
    });

    it.concurrent('re-enters once', async () => {
      const [own, key] = [await rig.join(), freshKey()];
      const { token } = await takeLock(own, key, 'w1');
      sufferAt(own, key, ...fates);
      expect(await takeLock(own, key, 'w1', { reentrant: true })).toMatchObject({
        holdCount: 2,
      });
      await own.faults.allLanded();
      expect(await holdersOf(key)).toMatchObject([{ token, holdCount: 2 }]);
      expect(await eventKinds(rig.under.store, key)).toEqual(['granted', 'reentered']);
    });

    it.concurrent('releases one entry, not two', async () => {
      const [own, key] = [await rig.join(), freshKey()];
      const { token } = await takeLock(own, key, 'w1');
      await takeLock(own, key, 'w1', { reentrant: true });
      await takeLock(own, key, 'w1', { reentrant: true });
      sufferAt(own, key, ...fates);
      const answer = await release(own, key, 'w1', token);
      await own.faults.allLanded();
      expect(answer).toEqual({ outcome: 'decremented', holdCount: 2 });
      expect(await holdersOf(key)).toMatchObject([{ token, holdCount: 2 }]);
    });

    it.concurrent('renews and releases, and answers so', async () => {
      const [own, key] = [await rig.join(), freshKey()];
      const { token } = await takeLock(own, key, 'w1');
      sufferAt(own, key, ...fates);
      expect(await renew(own, key, 'w1', token)).toMatchObject({ outcome: 'renewed' });
      await own.faults.allLanded();
      sufferAt(own, key, ...fates);
      expect(await release(own, key, 'w1', token)).toEqual({ outcome: 'released' });
      await own.faults.allLanded();
      expect(await holdersOf(key)).toEqual([]);
      expect(await eventKinds(rig.under.store, key)).toEqual(['granted', 'renewed', 'released']);
    });
  });

  describe.concurrent('rule 6: a grant that comes too late', () => {
    /**
     * The swap takes; by the clock of its process alone its reply comes when the lease is nearly
     * over. The store leaves all the time there is to give the lock back.
     */
    const lateBy = (own: Member, ms: number): Fate => ({
      kind: 'pass',
      last: async () => own.later(ms),
    });

    it('is reverted and decided again', async () => {
      const [own, key] = [await rig.joinStopped(), freshKey()];
      sufferAt(own, key, lateBy(own, 3_080));
      const answer = await takeLock(own, key, 'w1', { leaseMs: 3_400 });
      expect(answer.expiresInMs).toBeGreaterThan(340);
      const written = (await eventsByLock(rig.under.store, [key])).get(key.name) ?? [];
      const [first, givenBack, last] = written;
      expect([first?.kind, givenBack?.kind, last?.kind]).toEqual(['granted', 'late', 'granted']);
      expect([givenBack?.token, last?.token]).toEqual([first?.token, answer.token]);
    });

    it('is UNKNOWN if it happens twice, and the lock is not held', async () => {
      const [own, key] = [await rig.joinStopped(), freshKey()];
      const isGrant = ({ events }: Change) => events.some(({ kind }) => kind === 'granted');
      own.faults.onSwap = (changes) =>
        touching(key)(changes) && changes.some(isGrant) ? lateBy(own, 1_640) : PASS;
      expect(await reasonOf(acquire(own, key, 'w1', { leaseMs: 1_800 }))).toBe('UNKNOWN');
      const events = ['granted', 'late', 'granted', 'late'];
      expect(await eventKinds(rig.under.store, key)).toEqual(events);
      expect(await holdersOf(key)).toEqual([]);
    });

    it('that is decided again after a wait has only the rest of its patience', {
      retry: 2,
    }, async () => {
      const [own, key] = [await rig.join(), freshKey()];
      const { token } = await takeLock(own, key, 'w1');
      const askedAt = performance.now();
      const asked = acquire(own, key, 'w2', { leaseMs: 3_300, waitMs: 5_000 });
      await untilQueued(other, key, 1);
      const behind = acquire(other, key, 'w3', { leaseMs: 60_000, waitMs: 20_000 });
      // Read by this process, so that its next swap is not one that is lost.
      await untilQueued(own, key, 2);
      // By a clock that is estimated from its own, the offer has lapsed: it is claimed first.
      const onceClaimed: Fate = { kind: 'pass', first: () => behind };
      sufferAt(own, key, lateBy(own, 3_000), PASS, onceClaimed);
      await release(own, key, 'w1', token);
      expect(await asked).toMatchObject({ outcome: 'timeout' });
      expect(performance.now() - askedAt).toBeLessThan(4_800);
      expect(await behind).toMatchObject({ outcome: 'granted' });
    });

    it('that cannot be reverted is UNKNOWN, never "nothing was changed"', async () => {
      const [own, key] = [await rig.join(), freshKey()];
      sufferAt(own, key, { kind: 'pass', afterMs: 1_850 }, ...Array(200).fill({ kind: 'refuse' }));
      expect(await reasonOf(acquire(own, key, 'w1', { leaseMs: 2_000 }))).toBe('UNKNOWN');
    });

    it('keeps its token for its request id, and its lease starts again', async () => {
      const [own, key] = [await rig.joinStopped(), freshKey()];
      // A busy store has seconds before the lease ends.
      const asked = { leaseMs: 3_400, requestId: 'r1' };
      const elsewhere: { token: number; expiresAt: number }[] = [];
      const last = async () => {
        elsewhere.push(await takeLock(other, key, 'w1', asked));
        await pause(10);
        own.later(3_080);
      };
      sufferAt(own, key, { kind: 'pass', last });
      const answer = await takeLock(own, key, 'w1', asked);
      expect(elsewhere).toMatchObject([{ token: answer.token }]);
      expect(answer.expiresAt).toBeGreaterThan(elsewhere[0]?.expiresAt ?? Number.NaN);
      expect(answer.expiresInMs).toBeGreaterThan(340);
      expect(await eventKinds(rig.under.store, key)).toEqual(['granted', 'renewed']);
    });

    it('that has expired is reported as ended to its request id, never granted twice', async () => {
      const [own, key] = [await rig.join(), freshKey()];
      sufferAt(own, key, { kind: 'pass', afterMs: 450 });
      const answer = await acquire(own, key, 'w1', { leaseMs: 400, requestId: 'r1' });
      expect(answer).toMatchObject({ outcome: 'ended', cause: 'expired' });
      expect(await eventKinds(rig.under.store, key)).toEqual(['granted', 'expired']);
    });

    it('is answered only what is left of its lease, however late other replies are', async () => {
      const [own, key] = [await rig.join(), freshKey()];
      await release(own, key, 'w1', (await takeLock(own, key, 'w1')).token);
      const slow = freshKey();
      sufferAt(own, slow, { kind: 'pass', afterMs: 700 });
      await takeLock(own, slow, 'w1');
      const { answer, ms } = await timed(takeLock(own, key, 'w1'));
      const answeredAt = performance.now();
      const { now } = await readOne(rig.under.store, key);
      const sinceMs = performance.now() - answeredAt;
      expect(answer.expiresInMs).toBeLessThanOrEqual(answer.expiresAt - now + sinceMs + 20);
      expect(answer.expiresInMs).toBeGreaterThan(answer.expiresAt - now - ms - 1_000);
    });

    it('is answered to every caller with less than what is left of the lease', async () => {
      const [own, key] = [await rig.join(), freshKey()];
      sufferAt(own, key, { kind: 'pass', beforeMs: 100, afterMs: 200 });
      const askedAt = performance.now();
      const { expiresInMs } = await takeLock(own, key, 'w1', { leaseMs: 10_000 });
      // A timer of Node counts from the start of its turn of the event loop, so it may end early.
      expect(expiresInMs).toBeLessThanOrEqual(10_000 - 200);
      expect(expiresInMs).toBeGreaterThan(10_000 - 2 * (performance.now() - askedAt) - 400);
    });
  });

  it('gives a packet its full time, even if a read in it has less', async () => {
    const [own, held, lapsed] = [await rig.joinStopped(), freshKey(), freshKey()];
    const { token } = await takeLock(own, held, 'w1', { leaseMs: 60_000 });
    await takeLock(own, lapsed, 'w2', { leaseMs: SHORT_MS });
    await pause(SHORT_MS + 50);
    let renewed: Promise<unknown> = Promise.resolve();
    const isLapsed = (keys: RecordKey[]) => keys.some(({ name: one }) => one === lapsed.name);
    own.faults.onRead = firstFates(isLapsed, {
      kind: 'pass',
      last: async () => {
        renewed = renew(own, held, 'w1', token);
      },
    });
    const packets: boolean[] = [];
    own.faults.onSwap = (changes) => {
      if (!touching(held)(changes)) return PASS;
      packets.push(touching(lapsed)(changes));
      const last = async () => {
        own.later(1_200);
        throw new StoreError('The reply was lost.', 'unknown');
      };
      return packets.length === 1 ? { kind: 'pass', last } : PASS;
    };
    const state = own.engine.run(lapsed, { verb: 'inspect' });
    expect(await state).toMatchObject({ state: 'expired' });
    expect(await renewed).toMatchObject({ outcome: 'renewed' });
    expect(packets[0], 'both are in one packet').toBe(true);
  });

  it('gives commands on other locks their full time, even if an earlier one has less', async () => {
    const [own, old, fresh] = [await rig.joinStopped(), freshKey(), freshKey()];
    const first = await takeLock(own, old, 'w1', { leaseMs: 60_000 });
    const second = await takeLock(own, fresh, 'w2', { leaseMs: 60_000 });
    const last = async () => {
      own.later(1_200);
      throw new StoreError('The reply was lost.', 'unknown');
    };
    sufferAt(own, fresh, { kind: 'pass', last });
    const renewing = reasonOf(renew(own, old, 'w1', first.token));
    own.later(2_500);
    const renewed = renew(own, fresh, 'w2', second.token);
    expect(await renewed).toMatchObject({ outcome: 'renewed' });
    await renewing;
  });
});

it('a caller whose change is known is not answered UNKNOWN because of another one', async () => {
  const rig = await EngineRig.open('sqlite');
  const [own, free, lapsed] = [await rig.join(), freshKey(), freshKey()];
  const { token } = await takeLock(own, free, 'w1');
  await release(own, free, 'w1', token);
  await takeLock(own, lapsed, 'w1');
  rig.passMs(20_000);
  const packets: boolean[] = [];
  own.faults.onSwap = (changes) => {
    if (!touching(lapsed)(changes)) return PASS;
    packets.push(touching(free)(changes));
    // From the second attempt on, the store cannot confirm that the lease is over.
    own.faults.clockSetMs = -60_000;
    return packets.length === 1
      ? { kind: 'loseRequest' }
      : { kind: 'pass', last: async () => own.later(3_600) };
  };
  const [known, unknown] = [takeLock(own, free, 'w2'), reasonOf(acquire(own, lapsed, 'w2'))];
  expect(await unknown).toBe('UNKNOWN');
  expect(await known).toMatchObject({ outcome: 'granted', holdCount: 1 });
  expect(packets, 'both are in one packet').toEqual([true, true]);
  await rig.close();
});
