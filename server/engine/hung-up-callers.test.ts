import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DETACHED_MS } from '../core/timing';
import { freshKey } from '../storage/conformance/testing/changes';
import { storeNames } from '../storage/conformance/testing/stores-under-test';
import type { RecordKey } from '../storage/record-store';
import {
  acquire,
  acquireCommand,
  EngineRig,
  eventKinds,
  type Member,
  pause,
  release,
  renew,
  takeLock,
  WAIT,
} from './testing/engine-rig';
import { firstFates, PASS, touching } from './testing/faulty-store';
import { acquireMultiLock } from './testing/multi-lock-calls';
import { reasonOf, untilQueued } from './testing/observed-calls';

const LEASE_MS = 60_000;
const PATIENT = { timeout: 20_000, interval: 20 };

describe('callers that hang up while their backend cannot record it', () => {
  it('delay those behind them no more than one that hangs up at any other time', async () => {
    const rig = await EngineRig.open('sqlite');
    const [member, other] = [await rig.join(), await rig.join()];
    const key = freshKey();
    const { token } = await takeLock(other, key, 'w1', { leaseMs: LEASE_MS });
    const line = new AbortController();
    const gone = ['a', 'b', 'c', 'd', 'e'].map((owner) =>
      acquire(member, key, owner, {
        waitMs: 60_000,
        ...(owner < 'd' ? { requestId: owner } : {}),
        wait: { signal: line.signal },
      }).catch(() => null),
    );
    const waiters = async () =>
      (await other.engine.run(key, { verb: 'inspect' })).waiters.map(({ owner }) => owner);
    await expect.poll(waiters).toHaveLength(5);
    member.faults.onSwap = (changes) => (touching(key)(changes) ? { kind: 'refuse' } : PASS);
    line.abort();
    // Twice, until nothing of what was under way is tried any more; then with a heartbeat since.
    for (let i = 0; i < 2; i += 1) {
      await pause(300);
      rig.passMs(4_000);
    }
    await Promise.all(gone);
    await pause(800);
    const next = acquire(other, key, 'next', { waitMs: 30_000 });
    await expect.poll(waiters).toContain('next');
    member.faults.onSwap = () => PASS;
    await release(other, key, 'w1', token);
    const releasedAt = performance.now();
    expect(await next).toMatchObject({ outcome: 'granted' });
    expect(performance.now() - releasedAt).toBeLessThan(DETACHED_MS + 2_800);
    await rig.close();
  });
});

describe('a caller that hangs up while another call of its request fails', () => {
  it('delays those behind it no more than one that hangs up at any other time', async () => {
    const rig = await EngineRig.open('sqlite');
    const [member, other] = [await rig.join(), await rig.join()];
    const key = freshKey();
    await takeLock(other, key, 'w1', { leaseMs: LEASE_MS });
    const line = new AbortController();
    const parts = { waitMs: 60_000, requestId: 'r' };
    const first = acquire(member, key, 'w2', { ...parts, wait: { signal: line.signal } });
    await untilQueued(other, key, 1);
    member.faults.onRead = (keys) =>
      keys.some(({ name }) => name === key.name) ? { kind: 'refuse' } : PASS;
    const second = reasonOf(acquire(member, key, 'w2', parts));
    line.abort();
    expect(await first).toMatchObject({ outcome: 'queued' });
    member.later(4_000);
    expect(await second).toBe('UNKNOWN');
    member.faults.onRead = () => PASS;
    const waiters = async () => {
      await other.engine.run(key, { verb: 'expireAndPromote' });
      return (await other.engine.run(key, { verb: 'inspect' })).waiters;
    };
    await expect.poll(waiters, { timeout: DETACHED_MS + 3_000 }).toEqual([]);
    expect(await eventKinds(rig.under.store, key)).toContain('detached');
    await rig.close();
  });
});

describe('a multi-lock that hangs up and asks again while its leaving is decided twice', () => {
  it('waits as any other, rather than as one without a caller', async () => {
    const rig = await EngineRig.open('sqlite');
    const [member, other] = [await rig.join(), await rig.join()];
    const key = freshKey();
    const keys = [key, freshKey()];
    const { token } = await takeLock(other, key, 'w1', { leaseMs: LEASE_MS });
    const line = new AbortController();
    const parts = { waitMs: 60_000, requestId: 'r' };
    const first = acquireMultiLock(member, keys, 'w2', { ...parts, wait: { signal: line.signal } });
    await untilQueued(other, key, 1);
    let again: Promise<unknown> = first;
    // The first attempt loses its race, and the next call of the request comes meanwhile.
    const race = async () => {
      again = acquireMultiLock(member, keys, 'w2', parts);
      await renew(other, key, 'w1', token, LEASE_MS);
    };
    member.faults.onSwap = firstFates(touching(key), { kind: 'pass', first: race });
    line.abort();
    expect(await first).toMatchObject({ outcome: 'queued' });
    const leavings = async () =>
      (await eventKinds(rig.under.store, key)).filter((kind) => /detached|resumed/.test(kind));
    await expect.poll(leavings, PATIENT).toEqual(['detached', 'resumed']);
    await release(other, key, 'w1', token);
    expect(await again).toMatchObject({ outcome: 'granted' });
    await rig.close();
  });
});

describe('callers that do not learn their places', () => {
  it('delay those behind them no more than one that hangs up', async () => {
    const rig = await EngineRig.open('sqlite');
    const [member, other] = [await rig.join(), await rig.join()];
    const key = freshKey();
    const { token } = await takeLock(other, key, 'w1', { leaseMs: LEASE_MS });
    let confirm = () => {};
    const last = () =>
      new Promise<void>((resolve) => {
        confirm = resolve;
      });
    member.faults.onSwap = firstFates(touching(key), { kind: 'pass', last });
    const gone = Array.from({ length: 12 }, (_, i) => `gone-${i}`).map((owner) =>
      acquire(member, key, owner, { waitMs: 60_000 }).catch((error) => error.reason),
    );
    const waiters = async () =>
      (await other.engine.run(key, { verb: 'inspect' })).waiters.map(({ owner }) => owner);
    await expect.poll(waiters).toHaveLength(gone.length);
    rig.passMs(6_000);
    expect(await Promise.all(gone)).toEqual(gone.map(() => 'UNKNOWN'));
    confirm();
    await pause(800);
    const next = acquire(other, key, 'next', { waitMs: 30_000 });
    await expect.poll(waiters).toContain('next');
    await release(other, key, 'w1', token);
    const releasedAt = performance.now();
    expect(await next).toMatchObject({ outcome: 'granted' });
    expect(performance.now() - releasedAt).toBeLessThan(DETACHED_MS + 4_000);
    await rig.close();
  });
});

describe('a grant whose caller hung up while the backend did not respond', () => {
  it.each([
    ['asked without an id', {}],
    ['could ask again', { requestId: 'r' }],
  ])('is undone once it does, of a caller that %s', async (_, parts) => {
    const rig = await EngineRig.open('sqlite');
    const [member, other] = [await rig.join(), await rig.join()];
    const key = freshKey();
    const { token } = await takeLock(member, key, 'w1', { leaseMs: LEASE_MS });
    const line = new AbortController();
    const wait = { signal: line.signal };
    const waiting = acquire(member, key, 'w2', {
      waitMs: 60_000,
      leaseMs: 600_000,
      ...parts,
      wait,
    }).catch(() => null);
    const lock = () => other.engine.run(key, { verb: 'inspect' });
    await expect.poll(async () => (await lock()).waiters).toHaveLength(1);
    // The hand-off is applied; until it is confirmed, nothing else is.
    const last = async () => {
      member.faults.onScan = () => ({ kind: 'refuse' });
      await expect.poll(() => member.engine.health().reachable, PATIENT).toBe(false);
      line.abort();
      await pause(100);
    };
    member.faults.onSwap = firstFates(touching(key), { kind: 'pass', last });
    await release(member, key, 'w1', token);
    member.faults.onScan = () => PASS;
    await waiting;
    await expect.poll(async () => (await lock()).state, PATIENT).toBe('free');
    const grants = (await eventKinds(rig.under.store, key)).filter((kind) => kind === 'granted');
    expect(grants).toHaveLength(2);
    await rig.close();
  });
});

describe('a caller that is granted while it leaves its queue', () => {
  it.each([
    ['asked without an id', {}],
    ['could ask again', { requestId: 'r' }],
  ])('hears of the grant though the backend then fails, if it %s', async (_, parts) => {
    const rig = await EngineRig.open('sqlite');
    const [member, other] = [await rig.join(), await rig.join()];
    const key = freshKey();
    const held = await takeLock(member, key, 'w1', { leaseMs: LEASE_MS });
    const waitMs = 1_000;
    const waiting = acquire(member, key, 'w2', { waitMs, leaseMs: LEASE_MS, ...parts });
    const lock = () => other.engine.run(key, { verb: 'inspect' });
    await expect.poll(async () => (await lock()).waiters).toHaveLength(1);
    // The hand-off is applied at once, and confirmed only when the wait is over.
    const last = async () => {
      await pause(waitMs + 100);
      const isIts = (keys: RecordKey[]) => keys.some(({ name }) => name === key.name);
      member.faults.onRead = (keys) => (isIts(keys) ? { kind: 'refuse' } : PASS);
    };
    member.faults.onSwap = firstFates(touching(key), { kind: 'pass', last });
    await release(member, key, 'w1', held.token);
    const [{ token } = { token: 0 }] = (await lock()).holders;
    expect(await waiting).toMatchObject({ outcome: 'granted', token });
    await rig.close();
  });
});

describe('a caller that hung up and lost its place', () => {
  it('cancels its request for good, at whatever process', async () => {
    const rig = await EngineRig.open('sqlite');
    const [member, other] = [await rig.join(), await rig.join()];
    const key = freshKey();
    await takeLock(other, key, 'w1', { leaseMs: LEASE_MS });
    const ask = acquireCommand(key, 'w2', { waitMs: 60_000, requestId: 'r' });
    const line = new AbortController();
    const waiting = member.engine.acquire(key, ask, { ...WAIT, signal: line.signal });
    const waiters = async () => (await other.engine.run(key, { verb: 'inspect' })).waiters;
    await expect.poll(waiters).toHaveLength(1);
    line.abort();
    await waiting;
    rig.passMs(DETACHED_MS);
    await other.engine.run(key, { verb: 'expireAndPromote' });
    expect(await waiters()).toEqual([]);
    const { service, owner, request } = ask;
    const cancel = { verb: 'cancel', service, owner, request } as const;
    expect(await other.engine.run(key, cancel)).toEqual({ outcome: 'cancelled' });
    expect(await other.engine.run(key, cancel)).toEqual({ outcome: 'none' });
    expect(await other.engine.acquire(key, ask, WAIT)).toMatchObject({ outcome: 'timeout' });
    await rig.close();
  });
});

describe.each(['single acquires', 'multi-locks'])(
  'waiting callers that are refused, %s',
  (kind) => {
    it('leave the queue at once, able to ask again or not, and keep only their age', async () => {
      const rig = await EngineRig.open('sqlite');
      const [member, other] = [await rig.join(), await rig.join()];
      const key = freshKey();
      const second = freshKey();
      const { token } = await takeLock(other, key, 'w1', { leaseMs: LEASE_MS });
      const ended = new AbortController();
      const wait = { signal: AbortSignal.any([ended.signal]), refused: ended.signal };
      const ask = (owner: string, parts: object) => {
        const patient = { waitMs: 60_000, ...parts };
        if (kind === 'single acquires') return acquire(member, key, owner, patient);
        return acquireMultiLock(member, [key, second], owner, patient);
      };
      const refused = [ask('named', { requestId: 'r', wait }), ask('unnamed', { wait })];
      const waiters = async () => (await other.engine.run(key, { verb: 'inspect' })).waiters;
      await expect.poll(waiters).toHaveLength(2);
      const since = (await waiters()).find(({ owner }) => owner === 'named')?.enqueuedAt;
      ended.abort();
      await Promise.all(refused);
      expect(await waiters()).toEqual([]);

      const again = ask('named', { requestId: 'r' });
      await expect.poll(waiters).toMatchObject([{ owner: 'named', enqueuedAt: since }]);
      await release(other, key, 'w1', token);
      expect(await again).toMatchObject({ outcome: 'granted' });
      await rig.close();
    });
  },
);

describe.each(storeNames)(
  'a caller that hangs up during the commit of its hand-off over %s',
  (name) => {
    let rig: EngineRig;
    let member: Member;
    let other: Member;
    beforeAll(async () => {
      rig = await EngineRig.open(name);
      member = await rig.join();
      other = await rig.join();
    });
    afterAll(() => rig.close());

    /** Resolves when the next swap of a lock is applied, a while before it is confirmed. */
    const untilApplied = (key: RecordKey) =>
      new Promise<void>((resolve) => {
        const last = async () => resolve();
        member.faults.onSwap = firstFates(touching(key), { kind: 'pass', last, afterMs: 100 });
      });
    /** Hands the lock over, and hangs up before the swap is confirmed. */
    const hangUpDuringHandOver = async (key: RecordKey, parts: { requestId?: string }) => {
      const { token } = await takeLock(member, key, 'w1');
      const line = new AbortController();
      const wait = { signal: line.signal };
      const waiting = acquire(member, key, 'w2', {
        waitMs: 5_000,
        leaseMs: LEASE_MS,
        ...parts,
        wait,
      });
      await expect.poll(async () => (await inspect(key)).waiters.length).toBe(1);
      const applied = untilApplied(key);
      const released = release(member, key, 'w1', token);
      await applied;
      line.abort();
      await Promise.all([released, waiting]);
    };
    const inspect = (key: RecordKey) => other.engine.run(key, { verb: 'inspect' });

    it('leaves the lock free if it cannot ask again', async () => {
      const key = freshKey();
      await hangUpDuringHandOver(key, {});
      await expect.poll(async () => (await inspect(key)).state).toBe('free');
      const kinds = await eventKinds(rig.under.store, key);
      expect(kinds).toEqual(['granted', 'queued', 'released', 'granted', 'late']);
    });

    it('keeps the grant for as long as a place in the queue if it can ask again', async () => {
      const key = freshKey();
      await hangUpDuringHandOver(key, { requestId: 'r' });
      const [hold] = (await inspect(key)).holders;
      expect(hold?.owner).toBe('w2');
      expect(hold?.expiresInMs).toBeLessThanOrEqual(2_000);
    });

    it('has the full lease once it asks again, and so has one answered before', async () => {
      const key = freshKey();
      await hangUpDuringHandOver(key, { requestId: 'r' });
      const again = await takeLock(other, key, 'w2', {
        waitMs: 5_000,
        leaseMs: LEASE_MS,
        requestId: 'r',
      });
      expect(again.expiresInMs).toBeGreaterThan(LEASE_MS / 2);
      expect((await inspect(key)).holders).toMatchObject([{ token: again.token }]);
      expect(await renew(member, key, 'w2', again.token)).toMatchObject({ outcome: 'renewed' });
    });

    it('takes nothing from another call of its request', async () => {
      const key = freshKey();
      const { token } = await takeLock(member, key, 'w1');
      const parts = { waitMs: 5_000, leaseMs: LEASE_MS, requestId: 'r' };
      const line = new AbortController();
      const calls = [
        acquire(member, key, 'w2', { ...parts, wait: { signal: line.signal } }),
        acquire(member, key, 'w2', parts),
      ];
      await expect.poll(async () => (await inspect(key)).waiters.length).toBe(1);
      const applied = untilApplied(key);
      const released = release(member, key, 'w1', token);
      await applied;
      line.abort();
      await Promise.all([released, ...calls]);
      const [hold] = (await inspect(key)).holders;
      expect(hold?.expiresInMs).toBeGreaterThan(LEASE_MS / 2);
    });
  },
);

it('a grant whose caller hung up is kept briefly, also if that was in doubt at first', async () => {
  const rig = await EngineRig.open('sqlite');
  const [member, other] = [await rig.join(), await rig.join()];
  const key = freshKey();
  const { token } = await takeLock(member, key, 'w1');
  const line = new AbortController();
  const wait = { signal: line.signal };
  const parts = { waitMs: 5_000, leaseMs: LEASE_MS, requestId: 'r', wait };
  const waiting = acquire(member, key, 'w2', parts);
  await untilQueued(member, key, 1);
  let swaps = 0;
  member.faults.onSwap = (changes) => {
    if (!touching(key)(changes)) return PASS;
    swaps += 1;
    if (swaps === 1) return { kind: 'pass', last: async () => line.abort() };
    if (swaps > 2) return PASS;
    member.later(4_000);
    return { kind: 'loseRequest' };
  };
  await release(member, key, 'w1', token);
  await waiting;
  const leftMs = async () => {
    const { holders } = await other.engine.run(key, { verb: 'inspect' });
    return holders[0]?.expiresInMs ?? 0;
  };
  await expect.poll(leftMs).toBeLessThanOrEqual(DETACHED_MS);
  await rig.close();
});

it('a grant answered after recorded hang-ups says what is left of its lease then', async () => {
  const rig = await EngineRig.open('sqlite');
  const member = await rig.join();
  const key = freshKey();
  const { token } = await takeLock(member, key, 'w1');
  const hangUpNoticed = async () => member.later(4_000);
  const waiting = acquire(member, key, 'w2', { waitMs: 20_000, wait: { hangUpNoticed } });
  await untilQueued(member, key, 1);
  await release(member, key, 'w1', token);
  const answer = await waiting;
  if (answer.outcome !== 'granted') throw new Error(`Expected a grant, got ${answer.outcome}.`);
  expect(answer.expiresInMs).toBeLessThanOrEqual(6_000);
  await rig.close();
});

describe('a grant that is delivered to two calls of one request', () => {
  /** Both calls wait; whether a call has hung up shows only once it is granted. */
  const heldAfter = async (hangUp: [boolean, boolean]) => {
    const rig = await EngineRig.open('sqlite');
    const [member, other] = [await rig.join(), await rig.join()];
    const key = freshKey();
    const { token } = await takeLock(member, key, 'w1');
    const parts = { waitMs: 5_000, leaseMs: LEASE_MS, requestId: 'r' };
    let queued = 0;
    const onQueued = () => {
      queued += 1;
    };
    const calls = hangUp.map((hangsUp) => {
      const line = new AbortController();
      const hangUpNoticed = async () => {
        if (hangsUp) line.abort();
      };
      const wait = { signal: line.signal, hangUpNoticed, onQueued };
      return acquire(member, key, 'w2', { ...parts, wait });
    });
    await expect.poll(() => queued).toBe(2);
    await release(member, key, 'w1', token);
    await Promise.all(calls);
    const { holders } = await other.engine.run(key, { verb: 'inspect' });
    expect(holders).toMatchObject([{ owner: 'w2' }]);
    await rig.close();
    return holders[0]?.expiresInMs;
  };

  it('is kept for as long as a place in the queue if both have hung up', async () => {
    expect(await heldAfter([true, true])).toBeLessThanOrEqual(DETACHED_MS);
  });

  it.each<[boolean, boolean]>([
    [true, false],
    [false, true],
  ])('keeps its lease where one of them receives it: hung up %s and %s', async (...hangUp) => {
    expect(await heldAfter(hangUp)).toBeGreaterThan(LEASE_MS / 2);
  });
});

describe('a grant whose caller hung up at one process, answered to a call at another', () => {
  it.each<[string, (waits: Member, key: RecordKey) => Promise<void>]>([
    ['as its server shuts down', ({ engine }) => engine.drain()],
    [
      'as its wait ends',
      async ({ engine, later }, key) => {
        later(5_500);
        engine.expireAndPromote([key]);
      },
    ],
  ])('keeps its lease: %s', async (_, endWait) => {
    const rig = await EngineRig.open('sqlite');
    const [member, other] = [await rig.join(), await rig.join()];
    const key = freshKey();
    const { token } = await takeLock(member, key, 'w1');
    const parts = { waitMs: 5_000, leaseMs: LEASE_MS, requestId: 'r' };
    const first = acquire(other, key, 'w2', parts);
    await untilQueued(member, key, 1);
    const line = new AbortController();
    // The lock was granted to the later call; the earlier one is answered before that hangs up.
    const hangUpNoticed = async () => {
      await endWait(other, key);
      await first;
      line.abort();
    };
    let isMoved = false;
    const onQueued = () => {
      isMoved = true;
    };
    const wait = { signal: line.signal, hangUpNoticed, onQueued };
    const second = acquire(member, key, 'w2', { ...parts, wait });
    await expect.poll(() => isMoved).toBe(true);
    await release(member, key, 'w1', token);
    expect(await first).toMatchObject({ outcome: 'granted' });
    await second;
    const { holders } = await member.engine.run(key, { verb: 'inspect' });
    expect(holders).toMatchObject([{ owner: 'w2' }]);
    expect(holders[0]?.expiresInMs).toBeGreaterThan(LEASE_MS / 2);
    await rig.close();
  });
});
