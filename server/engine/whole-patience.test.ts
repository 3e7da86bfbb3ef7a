import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AcquireAnswer } from '../contract/lock/answers';
import { decodeRecord } from '../storage/codec/record-codec';
import { freshKey, readOne } from '../storage/conformance/testing/changes';
import { type Store, storeNames } from '../storage/conformance/testing/stores-under-test';
import type { RecordKey } from '../storage/record-store';
import { createEngine } from './create-engine';
import type { WaitOptions } from './lock-engine';
import { decideElsewhere } from './testing/decide-elsewhere';
import {
  acquire,
  EngineRig,
  eventKinds,
  type Member,
  pause,
  release,
  takeLock,
} from './testing/engine-rig';
import { firstFates, PASS, touching } from './testing/faulty-store';
import { untilQueued } from './testing/observed-calls';

/** What a process does that takes all others for dead. */
const dropWaiters = (store: Store, key: RecordKey) =>
  decideElsewhere(
    store,
    key,
    { verb: 'expireAndPromote' },
    { process: 'other', isAlive: () => false },
  );

describe.concurrent.each(storeNames)('one request over several calls, over %s', (name) => {
  let rig: EngineRig;
  let a: Member;
  let b: Member;

  beforeAll(async () => {
    rig = await EngineRig.open(name);
    a = await rig.join();
    b = await rig.join();
  });
  afterAll(() => rig.close());

  it('has one patience, even if another process is the first to see it end', async () => {
    const key = freshKey();
    await takeLock(a, key, 'w1', { leaseMs: 60_000 });
    const parts = { waitMs: 6_000, requestId: 'r' };
    const first = await acquire(a, key, 'w2', { ...parts, wait: { holdRequestMs: 4_000 } });
    expect(first).toMatchObject({ outcome: 'queued' });
    const second = acquire(a, key, 'w2', parts);
    let isOver = false;
    const busybody = async () => {
      while (!isOver) await b.engine.run(key, { verb: 'expireAndPromote' }).then(() => pause(5));
    };
    const watching = busybody();
    const startedAt = performance.now();
    expect((await second).outcome).toBe('timeout');
    // Two thirds of it are gone; started again it would be 6 s.
    expect(performance.now() - startedAt).toBeLessThan(5_800);
    isOver = true;
    await watching;
    const queued = (await eventKinds(rig.under.store, key)).filter((kind) => kind === 'queued');
    expect(queued).toHaveLength(1);
  });

  it('is queued again if a call ends as its place is lost, and does not time out', async () => {
    const key = freshKey();
    const { token } = await takeLock(a, key, 'w1', { leaseMs: 60_000 });
    const member = await rig.join();
    const parts = { waitMs: 20_000, requestId: 'r' };
    const lose = () => dropWaiters(rig.under.store, key);
    member.faults.onSwap = firstFates(touching(key), PASS, { kind: 'pass', first: lose });
    const first = await acquire(member, key, 'w2', { ...parts, wait: { holdRequestMs: 400 } });
    if (first.outcome !== 'queued') throw new Error(`Expected a place, got ${first.outcome}.`);
    expect(first).toMatchObject({ place: 1, ticket: 2 });
    // A timer of Node counts from the start of its turn of the event loop, so it may end early.
    expect(first.patienceLeftMs).toBeLessThanOrEqual(20_000 - 200);
    const second = acquire(b, key, 'w2', parts);
    await release(a, key, 'w1', token);
    expect(await second).toMatchObject({ outcome: 'granted' });
    const kinds = await eventKinds(rig.under.store, key);
    expect(kinds.slice(0, 5)).toEqual(['granted', 'queued', 'dropped', 'queued', 'detached']);
  });

  it('has one place if a call begins as another one with a lost place ends', async () => {
    const key = freshKey();
    const { token } = await takeLock(a, key, 'w1', { leaseMs: 60_000 });
    const member = await rig.join();
    const parts = { waitMs: 20_000, requestId: 'r' };
    const lose = () => dropWaiters(rig.under.store, key);
    let second: Promise<AcquireAnswer> | undefined;
    const begin = async () => {
      second = acquire(member, key, 'w2', parts);
    };
    member.faults.onSwap = firstFates(
      touching(key),
      PASS,
      { kind: 'pass', first: lose },
      { kind: 'pass', last: begin },
    );
    const first = await acquire(member, key, 'w2', { ...parts, wait: { holdRequestMs: 400 } });
    expect(first).toMatchObject({ outcome: 'queued', place: 1, ticket: 2 });
    await release(member, key, 'w1', token);
    expect(await second).toMatchObject({ outcome: 'granted' });
    const kinds = await eventKinds(rig.under.store, key);
    expect(kinds).toEqual(['granted', 'queued', 'dropped', 'queued', 'released', 'granted']);
  });

  it('is not queued again for a caller that hung up as its place was lost', async () => {
    const key = freshKey();
    await takeLock(a, key, 'w1', { leaseMs: 60_000 });
    const member = await rig.join();
    const lose = () => dropWaiters(rig.under.store, key);
    member.faults.onSwap = firstFates(touching(key), PASS, { kind: 'pass', first: lose });
    const broken = new AbortController();
    const wait = { signal: broken.signal };
    const asked = acquire(member, key, 'w2', { waitMs: 20_000, requestId: 'r', wait });
    await untilQueued(b, key, 1);
    broken.abort();
    await asked;
    expect(await eventKinds(rig.under.store, key)).toEqual(['granted', 'queued', 'dropped']);
  });

  it('keeps its place while one of its calls is connected, even if another hangs up', async () => {
    const key = freshKey();
    const { token } = await takeLock(a, key, 'w1');
    const parts = { waitMs: 20_000, requestId: 'r' };
    const broken = new AbortController();
    const call = async (wait: Partial<WaitOptions> = {}) => {
      let answer: Promise<AcquireAnswer> | undefined;
      await new Promise<void>((onQueued) => {
        answer = acquire(a, key, 'w2', { ...parts, wait: { ...wait, onQueued } });
      });
      return { answer };
    };
    const first = await call({ signal: broken.signal });
    const second = await call();
    broken.abort();
    await first.answer;
    await release(a, key, 'w1', token);
    expect(await second.answer).toMatchObject({ outcome: 'granted', holdCount: 1 });
    const kinds = await eventKinds(rig.under.store, key);
    expect(kinds).toEqual(['granted', 'queued', 'released', 'granted']);
  });
});

it('a wait so short that it is over before its turn is still granted a free lock', async () => {
  const rig = await EngineRig.open('sqlite');
  const { faults, process } = await rig.join();
  const options = rig.optionsOver(faults, process);
  let looks = 0;
  const clock = { ...options.clock, monotonic: () => options.clock.monotonic() + 2 * ++looks };
  const slow = { engine: await createEngine({ ...options, clock }) };
  const key = freshKey();
  expect(await acquire(slow, key, 'w1', { waitMs: 1 })).toMatchObject({ outcome: 'granted' });
  expect(await acquire(slow, key, 'w2', { waitMs: 1 })).toMatchObject({ outcome: 'timeout' });
  await slow.engine.close();
  await rig.close();
});

it('a wait that begins right after its process slept for hours has its full patience', async () => {
  const rig = await EngineRig.open('sqlite');
  try {
    const member = await rig.join();
    const key = freshKey();
    const hourMs = 60 * 60_000;
    await takeLock(member, key, 'w1', { leaseMs: 12 * hourMs });
    rig.letPass(3 * hourMs);
    const { now: askedAt } = await readOne(member.faults, key);
    const broken = new AbortController();
    let waiting: Promise<AcquireAnswer> | undefined;
    await new Promise<void>((onQueued) => {
      const wait = { signal: broken.signal, onQueued };
      waiting = acquire(member, key, 'w2', { waitMs: 60_000, wait });
    });
    const { record } = await readOne(rig.under.store, key);
    const [waiter] = record ? decodeRecord(record).record.queue : [];
    expect(waiter?.enqueuedAt).toBeGreaterThanOrEqual(askedAt - 100);
    broken.abort();
    await waiting;
  } finally {
    await rig.close();
  }
});
