import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freshKey, stored } from '../storage/conformance/testing/changes';
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
} from './testing/engine-rig';
import { eventsByLock } from './testing/events-by-lock';
import { firstFates, PASS, touching } from './testing/faulty-store';
import { acquireMultiLock } from './testing/multi-lock-calls';
import { timed, untilQueued } from './testing/observed-calls';
import { boundsApartMs } from './testing/step-time';

describe.concurrent.each(storeNames)('waiting over %s', (name) => {
  let rig: EngineRig;
  let a: Member;
  let b: Member;

  beforeAll(async () => {
    rig = await EngineRig.open(name);
    a = await rig.join();
    b = await rig.join();
  });
  afterAll(() => rig.close());

  const inspect = (key: RecordKey) => b.engine.run(key, { verb: 'inspect' });
  const queueOf = async (key: RecordKey) => (await inspect(key)).waiters.map(({ owner }) => owner);
  const queued = (key: RecordKey, count: number) => untilQueued(b, key, count);

  it('a waiter is granted at once what is released at its own process', async () => {
    const turnsMs: number[] = [];
    for (let turn = 0; turn < 5; turn += 1) {
      const key = freshKey();
      const { token } = await takeLock(a, key, 'w1');
      const waiting = acquire(a, key, 'w2', { waitMs: 10_000 });
      await queued(key, 1);
      await release(a, key, 'w1', token);
      const { answer, ms } = await timed(waiting);
      turnsMs.push(ms);
      expect(answer).toMatchObject({ outcome: 'granted', holdCount: 1 });
      expect(await eventKinds(rig.under.store, key)).toEqual([
        'granted',
        'queued',
        'released',
        'granted',
      ]);
    }
    // A look comes by every 250 ms; a busy machine may slow some turns down, not each of them.
    expect(Math.min(...turnsMs)).toBeLessThan(250);
  });

  it('a waiter is soon granted what is released at another process', async () => {
    const key = freshKey();
    const { token } = await takeLock(a, key, 'w1');
    const waiting = acquire(b, key, 'w2', { waitMs: 10_000 });
    await queued(key, 1);
    await release(a, key, 'w1', token);
    const { answer, ms } = await timed(waiting);
    expect(answer).toMatchObject({ outcome: 'granted' });
    expect(ms).toBeLessThan(6_000);
  });

  it('a waiter is granted a lock whose lease has expired', async () => {
    const key = freshKey();
    const { expiresInMs } = await takeLock(a, key, 'w1', { leaseMs: 2_000 });
    const { answer, ms } = await timed(acquire(b, key, 'w2', { waitMs: 10_000 }));
    expect(answer).toMatchObject({ outcome: 'granted' });
    expect(ms).toBeGreaterThan(expiresInMs - 100);
    expect(ms).toBeLessThan(8_000);
    expect(await eventKinds(rig.under.store, key)).toContain('expired');
  });

  /** Serves eight callers of two processes in turn; the order in which they were granted a lock. */
  const serveInTurn = async (key: RecordKey) => {
    const { token } = await takeLock(a, key, 'first', { leaseMs: 60_000 });
    const served: string[] = [];
    const tokens: number[] = [];
    const waiting: Promise<void>[] = [];
    for (let i = 0; i < 8; i += 1) {
      const where = i % 3 === 0 ? b : a;
      const owner = `w${i}`;
      waiting.push(
        takeLock(where, key, owner, { waitMs: 20_000 }).then(async (granted) => {
          served.push(owner);
          tokens.push(granted.token);
          await release(where, key, owner, granted.token);
        }),
      );
      await queued(key, i + 1);
    }
    await release(b, key, 'first', token);
    await Promise.all(waiting);
    return { served, tokens };
  };

  it('the queue is first in, first out, over two processes', async () => {
    let key = freshKey();
    let { served, tokens } = await serveInTurn(key);
    // A process that stalls for seconds, on a busy machine, loses the places of its callers.
    const wasStalled = async () => (await eventKinds(rig.under.store, key)).includes('dropped');
    for (let tries = 1; tries < 5 && (await wasStalled()); tries += 1) {
      key = freshKey();
      ({ served, tokens } = await serveInTurn(key));
    }
    expect(served).toEqual(Array.from({ length: 8 }, (_, i) => `w${i}`));
    expect(tokens).toEqual([...tokens].sort((x, y) => x - y));
  });

  it('a newcomer never overtakes the queue', async () => {
    const key = freshKey();
    const { token } = await takeLock(a, key, 'w1');
    const waiting = acquire(b, key, 'w2', { waitMs: 10_000 });
    await queued(key, 1);
    await release(a, key, 'w1', token);
    expect(await acquire(a, key, 'pushy')).toMatchObject({ outcome: 'held' });
    expect(await waiting).toMatchObject({ outcome: 'granted' });
  });

  it('a wait is answered `timeout` when its patience ends, and leaves no place', async () => {
    const key = freshKey();
    const { token } = await takeLock(a, key, 'w1');
    // A wait counts from the earliest instant that the store's clock can show as it begins.
    const apartMs = boundsApartMs(a.engine);
    const startedAt = performance.now();
    const answer = await acquire(a, key, 'w2', { waitMs: 600 });
    const ms = performance.now() - startedAt;
    expect(answer).toMatchObject({ outcome: 'timeout', holders: [{ token }], queueLength: 0 });
    expect(ms).toBeGreaterThan(550 - apartMs);
    expect(ms).toBeLessThan(6_000);
    expect(await queueOf(key)).toEqual([]);
    expect(await eventKinds(rig.under.store, key)).toEqual(['granted', 'queued', 'timeout']);
  });

  it('a wait no longer than a request is held open times out even without an id', async () => {
    const key = freshKey();
    await takeLock(a, key, 'w1', { leaseMs: 60_000 });
    const waitMs = 300;
    for (const parts of [{}, { requestId: 'r' }]) {
      const wait = { holdRequestMs: waitMs };
      const answer = await acquire(a, key, 'w2', { waitMs, ...parts, wait });
      expect(answer).toMatchObject({ outcome: 'timeout' });
    }
    const wait = { holdRequestMs: waitMs };
    const answer = await acquireMultiLock(a, [key, freshKey()], 'w2', { waitMs, wait });
    expect(answer).toMatchObject({ outcome: 'timeout' });
  });

  it('patience counts over all requests of one id and does not restart with each', async () => {
    const key = freshKey();
    await takeLock(a, key, 'w1', { leaseMs: 60_000 });
    const ask = () =>
      acquire(a, key, 'w2', { waitMs: 4_500, requestId: 'r', wait: { holdRequestMs: 1_000 } });
    const startedAt = performance.now();
    const outcomes: string[] = [];
    while (performance.now() - startedAt < 12_000) {
      const { outcome } = await ask();
      outcomes.push(outcome);
      if (outcome !== 'queued') break;
    }
    // Four calls and a rest; on a busy machine fewer of them.
    expect(outcomes.slice(0, -1)).toContain('queued');
    expect(outcomes.at(-1)).toBe('timeout');
    expect(performance.now() - startedAt).toBeGreaterThan(4_000);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect((await ask()).outcome).toBe('timeout');
    expect(
      (await eventKinds(rig.under.store, key)).filter((kind) => kind === 'queued'),
    ).toHaveLength(1);
  });

  it('an ended request is answered `queued` and keeps its place if repeated anywhere', async () => {
    const key = freshKey();
    const { token } = await takeLock(a, key, 'w1');
    const ask = (where: Member, owner: string, holdRequestMs: number) =>
      acquire(where, key, owner, { waitMs: 20_000, requestId: 'r', wait: { holdRequestMs } });
    const first = ask(a, 'w2', 300);
    await queued(key, 1);
    const second = acquire(a, key, 'w3', { waitMs: 20_000 });
    await queued(key, 2);
    expect(await first).toMatchObject({ outcome: 'queued', place: 1 });
    await pause(1_000);
    const again = ask(b, 'w2', 20_000);
    await pause(100);
    await release(a, key, 'w1', token);
    const granted = await again;
    expect(granted).toMatchObject({ outcome: 'granted' });
    if (granted.outcome === 'granted') await release(b, key, 'w2', granted.token);
    expect(await second).toMatchObject({ outcome: 'granted' });
  });

  it('a place whose request is not repeated is kept for only 2 s', async () => {
    const key = freshKey();
    const { token } = await takeLock(a, key, 'w1');
    const askedAt = performance.now();
    const left = acquire(a, key, 'w2', {
      waitMs: 20_000,
      requestId: 'r',
      wait: { holdRequestMs: 200 },
    });
    await queued(key, 1);
    const next = acquire(b, key, 'w3', { waitMs: 20_000 });
    expect(await left).toMatchObject({ outcome: 'queued' });
    await release(a, key, 'w1', token);
    const { answer, ms } = await timed(next);
    expect(answer).toMatchObject({ outcome: 'granted' });
    expect(performance.now() - askedAt).toBeGreaterThan(2_100);
    expect(ms).toBeLessThan(6_000);
  });

  it('a caller without a request id that hangs up leaves the queue at once', async () => {
    const key = freshKey();
    await takeLock(a, key, 'w1');
    const line = new AbortController();
    const waiting = acquire(a, key, 'w2', { waitMs: 20_000, wait: { signal: line.signal } });
    await queued(key, 1);
    line.abort();
    await waiting;
    expect(await queueOf(key)).toEqual([]);
    expect(await eventKinds(rig.under.store, key)).toEqual(['granted', 'queued', 'cancelled']);
  });

  it('it is recorded as cancelled even if its lock is checked at that moment', async () => {
    const key = freshKey();
    const member = await rig.join();
    const { token } = await takeLock(member, key, 'w1');
    const line = new AbortController();
    const waiting = acquire(member, key, 'w2', { waitMs: 20_000, wait: { signal: line.signal } });
    await queued(key, 1);
    member.faults.onSwap = firstFates(touching(key), { kind: 'pass', afterMs: 100 });
    const renewing = renew(member, key, 'w1', token);
    await pause(30);
    const checking = member.engine.run(key, { verb: 'expireAndPromote' });
    line.abort();
    await Promise.all([renewing, checking, waiting]);
    const kinds = await eventKinds(rig.under.store, key);
    expect(kinds).toEqual(['granted', 'queued', 'renewed', 'cancelled']);
  });

  it('a caller with a request id that hangs up keeps its place for 2 s', async () => {
    const key = freshKey();
    await takeLock(a, key, 'w1');
    const line = new AbortController();
    const parts = { waitMs: 20_000, requestId: 'r' };
    const waiting = acquire(a, key, 'w2', { ...parts, wait: { signal: line.signal } });
    await queued(key, 1);
    line.abort();
    expect(await waiting).toMatchObject({ outcome: 'queued', place: 1 });
    const promoted = () => a.engine.run(key, { verb: 'expireAndPromote' }).then(() => queueOf(key));
    await expect.poll(promoted).toEqual([]);
    const events = (await eventsByLock(rig.under.store, [key])).get(key.name) ?? [];
    const [, , detached, dropped] = events;
    expect(events.map(({ kind }) => kind)).toEqual(['granted', 'queued', 'detached', 'dropped']);
    const keptMs = (dropped?.at ?? 0) - (detached?.at ?? 0);
    expect(keptMs).toBeGreaterThanOrEqual(2_000);
    expect(keptMs).toBeLessThan(6_000);
  });

  it('a grant that its caller never received is reverted', async () => {
    const key = freshKey();
    const { token } = await takeLock(a, key, 'w1');
    const line = new AbortController();
    const waiting = acquire(a, key, 'w2', { waitMs: 20_000, wait: { signal: line.signal } });
    await queued(key, 1);
    const releasing = release(a, key, 'w1', token);
    line.abort();
    await Promise.all([releasing, waiting]);
    while ((await inspect(key)).holders.length > 0) await pause(20);
    expect(await acquire(b, key, 'w3')).toMatchObject({ outcome: 'granted' });
  });

  it('a waiter is soon granted a lock whose record its store has lost', async () => {
    const key = freshKey();
    await takeLock(a, key, 'w1');
    const waiting = acquire(b, key, 'w2', { waitMs: 10_000 });
    await queued(key, 1);
    const { rev, writer } = await stored(rig.under.store, key);
    expect(await rig.under.store.deleteRecords([{ key, rev, writer }])).toEqual([true]);
    const { answer, ms } = await timed(waiting);
    expect(answer).toMatchObject({ outcome: 'granted' });
    expect(ms).toBeLessThan(5_000);
  });

  it('a full queue is reported, and accepts no other caller', async () => {
    const key = { ...freshKey(), namespace: 'small' };
    rig.policies.set('small', { queueLimit: 2, lockDelayMs: 0 });
    await takeLock(a, key, 'w1');
    const line = new AbortController();
    const parts = { waitMs: 20_000, wait: { signal: line.signal } };
    const waiting = ['w2', 'w3'].map((owner) => acquire(a, key, owner, parts));
    await queued(key, 2);
    expect(await acquire(b, key, 'w4', { waitMs: 1_000 })).toMatchObject({
      outcome: 'queueFull',
      queueLength: 2,
    });
    expect(await queueOf(key)).toEqual(['w2', 'w3']);
    line.abort();
    await Promise.all(waiting);
  });

  it('a cancelled wait ends in `timeout`, and its place is gone', async () => {
    const key = freshKey();
    await takeLock(a, key, 'w1');
    const parts = { waitMs: 20_000, requestId: 'r' };
    const waiting = acquire(a, key, 'w2', parts);
    await queued(key, 1);
    const { request } = acquireCommand(key, 'w2', parts);
    const cancel = { verb: 'cancel', service: 'orders', owner: 'w2', request } as const;
    expect(await b.engine.run(key, cancel)).toEqual({ outcome: 'cancelled' });
    const { answer, ms } = await timed(waiting);
    expect(answer).toMatchObject({ outcome: 'timeout' });
    expect(ms).toBeLessThan(6_000);
    expect(await queueOf(key)).toEqual([]);
  });

  it('a process that crashes delays its queue by at most 2 s', async () => {
    const key = freshKey();
    const dying = await rig.join();
    const { token } = await takeLock(a, key, 'w1');
    const line = new AbortController();
    const parts = { waitMs: 20_000, wait: { signal: line.signal } };
    const lost = acquire(dying, key, 'w2', parts).catch(() => null);
    await queued(key, 1);
    const lostToo = acquire(dying, key, 'w3', parts).catch(() => null);
    await queued(key, 2);
    const next = acquire(b, key, 'w4', { waitMs: 20_000 });
    await queued(key, 3);
    dying.faults.goAway();
    await release(a, key, 'w1', token);
    const { answer, ms } = await timed(next);
    expect(answer).toMatchObject({ outcome: 'granted' });
    expect(ms).toBeLessThan(6_000);
    line.abort();
    await Promise.all([lost, lostToo]);
  });

  it('a process that shuts down answers `queued` to all, and keeps their places', async () => {
    const key = freshKey();
    const draining = await rig.join();
    const { token } = await takeLock(a, key, 'w1');
    const parts = { waitMs: 20_000, requestId: 'r' };
    const waiting = acquire(draining, key, 'w2', parts);
    await queued(key, 1);
    const behind = acquire(a, key, 'w3', { waitMs: 20_000 });
    await queued(key, 2);
    await draining.engine.drain();
    expect(await waiting).toMatchObject({ outcome: 'queued', place: 1 });
    expect(await acquire(draining, freshKey(), 'w9')).toMatchObject({ outcome: 'granted' });
    const again = acquire(b, key, 'w2', parts);
    await pause(100);
    await release(a, key, 'w1', token);
    const answer = await again;
    expect(answer).toMatchObject({ outcome: 'granted' });
    if (answer.outcome === 'granted') await release(b, key, 'w2', answer.token);
    expect(await behind).toMatchObject({ outcome: 'granted' });
  });

  it('a place that no caller can claim at a shutdown does not delay those behind it', async () => {
    const key = freshKey();
    const draining = await rig.join();
    await takeLock(a, key, 'w1');
    const parts = { waitMs: 20_000 };
    const waiting = acquire(draining, key, 'w2', parts);
    await queued(key, 1);
    const more = acquireMultiLock(draining, [key, freshKey()], 'w3', parts);
    await queued(key, 2);
    const line = new AbortController();
    const behind = acquire(a, key, 'w4', { ...parts, wait: { signal: line.signal } });
    await queued(key, 3);
    await draining.engine.drain();
    expect(await waiting).toMatchObject({ outcome: 'queued', place: 1 });
    expect(await more).toMatchObject({ outcome: 'queued', place: 2 });
    expect(await queueOf(key)).toEqual(['w4']);
    line.abort();
    await behind;
  });
});

it('only locks for which callers still wait are checked', async () => {
  const rig = await EngineRig.open('sqlite');
  try {
    const member = await rig.join();
    const [granted, waited] = [freshKey(), freshKey()];
    const { token } = await takeLock(member, granted, 'w1', { leaseMs: 60_000 });
    await takeLock(member, waited, 'w1', { leaseMs: 60_000 });
    const parts = { leaseMs: 60_000, waitMs: 600_000 };
    const first = acquire(member, granted, 'w2', parts);
    const second = acquire(member, waited, 'w2', parts);
    await untilQueued(member, granted, 1);
    await untilQueued(member, waited, 1);
    const scans: (() => void)[] = [];
    const held = () => new Promise<void>((resolve) => scans.push(resolve));
    member.faults.onScan = () => ({ kind: 'pass', first: held });
    // A check and a heartbeat: each reads the heartbeats of all processes.
    await expect.poll(() => scans.length, { timeout: 10_000, interval: 5 }).toBe(2);
    await release(member, granted, 'w1', token);
    expect(await first).toMatchObject({ outcome: 'granted' });
    rig.letPass(61_000);
    member.faults.onScan = () => PASS;
    for (const scan of scans) scan();
    expect(await second).toMatchObject({ outcome: 'granted' });
    expect(await eventKinds(rig.under.store, waited)).toContain('expired');
    expect(await eventKinds(rig.under.store, granted)).not.toContain('expired');
  } finally {
    await rig.close();
  }
});
