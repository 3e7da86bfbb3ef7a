import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RenewAnswer } from '../contract/lock/answers';
import { ANSWER_MAX_MS } from '../core/timing';
import { freshKey } from '../storage/conformance/testing/changes';
import { type Store, storeNames } from '../storage/conformance/testing/stores-under-test';
import type { RecordKey } from '../storage/record-store';
import {
  acquire,
  EngineRig,
  eventKinds,
  type Member,
  pause,
  renew,
  takeLock,
} from './testing/engine-rig';
import { firstFates, PASS, touching } from './testing/faulty-store';
import { acquireMultiLock } from './testing/multi-lock-calls';
import { timed } from './testing/observed-calls';

/** Nearly as long as a store call may take. */
const SLOW_MS = 1_400;

/** A busy machine adds to what is measured; it may stall in some tries, not in each. */
const BUSY_MS = 300;
const TRIES = 4;

describe.each(storeNames)('an engine whose commits over %s are slow', (name) => {
  let rig: EngineRig;
  let member: Member;
  beforeAll(async () => {
    rig = await EngineRig.open(name);
    member = await rig.join();
  });
  afterAll(() => rig.close());

  it('subtracts the wait for a commit from the lease exactly once', async () => {
    const key = freshKey();
    const { token } = await takeLock(member, key, 'w1');
    const release = await rig.under.stallRow(key);
    const askedAt = performance.now();
    const renewing = renew(member, key, 'w1', token, 12_000);
    await pause(800);
    await release();
    const answer = await renewing;
    const tookMs = performance.now() - askedAt;
    expect(tookMs).toBeGreaterThan(700);
    if (answer.outcome !== 'renewed') throw new Error(`Expected a renewal, got ${answer.outcome}.`);
    expect(answer.expiresInMs).toBeGreaterThan(12_000 - tookMs - 500);
    expect(answer.expiresInMs).toBeLessThanOrEqual(12_000 - 700);
  });

  it('answers lost, not renewed, if a lease was over when its renewal was confirmed', async () => {
    const key = freshKey();
    const { token } = await takeLock(member, key, 'w1', { leaseMs: 2_000 });
    const last = async () => rig.letPass(2_100);
    member.faults.onSwap = firstFates(touching(key), { kind: 'pass', last });
    expect(await renew(member, key, 'w1', token, 2_000)).toMatchObject({
      outcome: 'lost',
      cause: 'expired',
    });
    expect(await eventKinds(rig.under.store, key)).toEqual(['granted', 'renewed', 'expired']);
  });
});

describe('a renewal whose lease ended before its commit returned, too late to decide again', () => {
  let rig: EngineRig;
  let member: Member;
  beforeAll(async () => {
    rig = await EngineRig.open('sqlite');
    member = await rig.join();
  });
  afterAll(() => rig.close());

  type Work = (key: RecordKey, token: number) => Promise<unknown>;
  const nothing: Work = async () => undefined;

  /**
   * Renews for 3 s. `behind` is done after that commit, 4 s before the reply to it; `beside` begins
   * with it.
   */
  async function renewSlowly({ behind = nothing, beside = nothing }) {
    const key = freshKey();
    const { token } = await takeLock(member, key, 'w1', { leaseMs: 3_000 });
    const last = async () => {
      await behind(key, token);
      rig.passMs(4_000);
    };
    member.faults.onSwap = firstFates(touching(key), { kind: 'pass', last });
    const answer = renew(member, key, 'w1', token, 3_000);
    const alongside = beside(key, token);
    const said = await answer.catch((error) => error.reason);
    await alongside;
    return { answer: said, key, token };
  }

  it('is answered with the lease from another renewal of the same commit', async () => {
    const { answer } = await renewSlowly({
      beside: (key, token) => renew(member, key, 'w1', token, 60_000),
    });
    expect(answer).toMatchObject({ outcome: 'renewed' });
    expect((answer as RenewAnswer & { expiresInMs: number }).expiresInMs).toBeGreaterThan(50_000);
  });

  it("is answered with the lease from another process's later commit", async () => {
    const other = await rig.join();
    const { answer } = await renewSlowly({
      behind: (key, token) => renew(other, key, 'w1', token, 60_000),
    });
    expect(answer).toMatchObject({ outcome: 'renewed' });
  });

  it('is lost if no renewal prolonged the hold', async () => {
    const { answer } = await renewSlowly({});
    expect(answer).toMatchObject({ outcome: 'lost', cause: 'expired' });
  });

  it('that was lost stays lost, even if the clock is set back', async () => {
    const other = await rig.join();
    const { answer, key, token } = await renewSlowly({});
    expect(answer).toMatchObject({ outcome: 'lost', cause: 'expired' });
    for (const { faults } of [member, other]) faults.clockSetMs = -10_000;
    expect(await renew(other, key, 'w1', token)).toMatchObject({ outcome: 'lost' });
    for (const { faults } of [member, other]) faults.clockSetMs = 0;
    expect(await eventKinds(rig.under.store, key)).toEqual(['granted', 'renewed', 'expired']);
  });

  it('is UNKNOWN if the end of the hold cannot be written', async () => {
    const { answer } = await renewSlowly({
      behind: async (key) => {
        member.faults.onSwap = (changes) => (touching(key)(changes) ? { kind: 'refuse' } : PASS);
      },
    });
    expect(answer).toBe('UNKNOWN');
  });

  it('is UNKNOWN if deciding it again fails, since it was applied', async () => {
    const key = freshKey();
    const { token } = await takeLock(member, key, 'w1', { leaseMs: 2_000 });
    let swaps = 0;
    member.faults.onSwap = (changes) => {
      if (!touching(key)(changes)) return PASS;
      swaps += 1;
      if (swaps === 1) return { kind: 'pass', last: async () => rig.passMs(2_100) };
      rig.passMs(4_000);
      return { kind: 'refuse' };
    };
    const refused = renew(member, key, 'w1', token, 2_000).catch((error) => error.reason);
    expect(await refused).toBe('UNKNOWN');
    expect(await eventKinds(rig.under.store, key)).toEqual(['granted', 'renewed']);
  });

  it('is UNKNOWN if the store cannot be read', async () => {
    const { answer } = await renewSlowly({
      behind: async ({ name }) => {
        const concerns = (keys: RecordKey[]) => keys.some((key) => key.name === name);
        member.faults.onRead = firstFates(concerns, { kind: 'refuse' });
      },
    });
    expect(answer).toBe('UNKNOWN');
  });
});

describe.concurrent('a store that is slow in every call', () => {
  let rig: EngineRig;
  beforeAll(async () => {
    rig = await EngineRig.open('sqlite');
  });
  afterAll(() => rig.close());

  /**
   * Asks a process whose every call about a lock is slow, with another lock in each try. The least
   * time that an answer took; as soon as it is at most `limitMs`, no further try is made.
   */
  async function quickestMs(
    limitMs: number,
    ask: (from: Member, key: RecordKey) => Promise<unknown>,
    prepare: (key: RecordKey) => Promise<unknown> = async () => {},
  ): Promise<number> {
    let quickest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < TRIES && quickest > limitMs; i += 1) {
      const [member, key] = [await rig.join(), freshKey()];
      await prepare(key);
      const slow = { kind: 'pass', beforeMs: SLOW_MS / 2, afterMs: SLOW_MS / 2 } as const;
      member.faults.onRead = (keys) => (keys.some(({ name }) => name === key.name) ? slow : PASS);
      member.faults.onSwap = (changes) => (touching(key)(changes) ? slow : PASS);
      const { ms } = await timed(ask(member, key).catch(() => undefined));
      quickest = Math.min(quickest, ms);
    }
    return quickest;
  }

  it('delays the answer to a multi-lock that is granted too late by at most 5 s', async () => {
    const limitMs = ANSWER_MAX_MS + BUSY_MS;
    const asked = { leaseMs: 2_900, requestId: 'r' };
    const ask = (from: Member, key: RecordKey) =>
      acquireMultiLock(from, [key, freshKey()], 'w1', asked);
    expect(await quickestMs(limitMs, ask)).toBeLessThanOrEqual(limitMs);
  });

  it('delays the answer to a wait by at most 5 s beyond its end', async () => {
    const other = await rig.join();
    const asked = { waitMs: 200, requestId: 'r' };
    const limitMs = asked.waitMs + ANSWER_MAX_MS + BUSY_MS;
    const ask = (from: Member, key: RecordKey) => acquire(from, key, 'w2', asked);
    const prepare = (key: RecordKey) => takeLock(other, key, 'w1', { leaseMs: 60_000 });
    expect(await quickestMs(limitMs, ask, prepare)).toBeLessThanOrEqual(limitMs);
  });
});

describe('an engine whose store knows only a lower bound of its clock', () => {
  it('answers no more than what is left of a lease, also where it only reads', async () => {
    const rig = await EngineRig.open('sqlite');
    const member = await rig.joinWith(clockBehind(await rig.under.another(), 700));
    const keys = [freshKey(), freshKey()];
    const [key] = keys as [RecordKey, RecordKey];
    const parts = { requestId: 'r', leaseMs: 10_000 };
    const first = await acquireMultiLock(member, keys, 'w1', parts);
    if (first.outcome !== 'granted') return expect.unreachable(first.outcome);
    const leftMs = () => (first.grants[0]?.expiresAt ?? 0) - Date.now();
    // Read before the call: a busy machine may take a while over what follows its answer.
    let mostMs = leftMs() + CLOCK_GRAIN_MS;
    const again = await acquireMultiLock(member, keys, 'w1', parts);
    if (again.outcome !== 'granted') return expect.unreachable(again.outcome);
    expect(again.grants[0]?.expiresInMs).toBeLessThanOrEqual(mostMs);
    mostMs = leftMs() + CLOCK_GRAIN_MS;
    const held = await acquire(member, key, 'w2');
    if (held.outcome !== 'held') return expect.unreachable(held.outcome);
    expect(held.holders[0]?.expiresInMs).toBeLessThanOrEqual(mostMs);
    await rig.close();
  });
});

/** Instants are whole milliseconds. */
const CLOCK_GRAIN_MS = 2;

/** This store as one whose reads report an instant before their own. */
function clockBehind(store: Store, ms: number): Store {
  const behind: Store = Object.create(store);
  return Object.assign(behind, {
    estimatesClock: true,
    read: async (...asked: Parameters<Store['read']>) => {
      const { records, storedAnswers } = await store.read(...asked);
      return { records: records.map((one) => ({ ...one, now: one.now - ms })), storedAnswers };
    },
  });
}
