import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import moveGateClock from '../../engine/testing/move-gate-clock.lua';
import { newSeed, seeded } from '../../engine/testing/seeded';
import type { GateMark, GateMessage, GateReply, GateStore } from './gate-store';
import { GATE_LIMITS, openRedisGate } from './redis-gate';
import { HoldingRelay } from './testing/holding-relay';
import { ModelGate } from './testing/model-gate';

/** A gate that is ready immediately, with readings that stay fresh during a test. */
const CALM = { ...GATE_LIMITS, stepMaxMs: 1, freshMs: 60_000, refreshMs: 60_000, claimMs: 20_000 };

const MESSAGES = 3_000;

let redis: Awaited<ReturnType<typeof startPrivateRedis>>;
let admin: Redis;
beforeAll(async () => {
  redis = await startPrivateRedis();
  admin = new Redis(redis.url, { protocol: 2 });
});
afterAll(async () => {
  admin?.disconnect();
  await redis?.stop();
});

/** Moves the clock of every gate. */
const later = (ms: number) => admin.eval(moveGateClock, 0, ms);

const bare = ({ state, underWay, wasCorrected }: GateReply) => ({ state, underWay, wasCorrected });

it(`${MESSAGES} random messages of three processes lead to the state of the model`, async () => {
  const seed = newSeed();
  console.info(`seed ${seed}`);
  const random = seeded(seed);
  const below = (n: number) => Math.floor(random() * n);
  const names = ['p1', 'p2', 'p3'];
  // A step can be under way for longer than the test takes.
  const limits = { ...CALM, stepMaxMs: 50 };
  const stores = new Map<string, GateStore>(
    names.map((process) => [process, openRedisGate(redis.url, { scope: 'a', process }, limits)]),
  );
  const model = new ModelGate();
  const first = await stores.get('p1')?.exchange([], null);
  expect(first?.readyInMs).toBe(50);
  await new Promise((resolve) => setTimeout(resolve, 80));
  model.exchange('p1', [], 0);
  const seen = new Map<string, { real: GateMark; modelled: GateMark }>();
  const bound = () => (below(3) === 0 ? null : below(20) - 10);
  for (let i = 0; i < MESSAGES; i += 1) {
    const process = names[below(3)] ?? 'p1';
    const store = stores.get(process);
    const { now } = (await store?.exchange([], null)) ?? { now: 0 };
    const known = model.peek('c0', 100_000).state?.rev ?? null;
    const gateRev = below(2) === 0 ? known : null;
    const rev = 100 + below(20);
    const reading = { floor: bound(), ceiling: bound(), asOf: 0, gateRev };
    const news = [
      null,
      { rev, value: below(100) - 50 },
      { rev, value: below(100) - 50, reading },
      { gone: true as const, gateRev },
    ][below(4)] as GateMessage['news'];
    const message = { id: 'c0', underWay: { down: 0, up: 0 }, news, mayRead: false };
    const real =
      news && 'reading' in news && news.reading
        ? { ...message, news: { ...news, reading: { ...news.reading, asOf: now } } }
        : message;
    const modelled =
      news && 'reading' in news && news.reading
        ? { ...message, news: { ...news, reading: { ...news.reading, asOf: 100_000 } } }
        : message;
    const marks = seen.get(process);
    const answer = await store?.exchange([real], marks?.real ?? null);
    const expected = model.exchange(process, [modelled], 100_000, marks?.modelled);
    const what = `message ${i}: ${JSON.stringify(news)}`;
    expect(bare(answer?.replies[0] as GateReply), what).toEqual(
      bare(expected.replies[0] as GateReply),
    );
    expect(answer?.changed, what).toEqual(expected.changed);
    seen.set(process, { real: answer?.mark as GateMark, modelled: expected.mark });
  }
  for (const store of stores.values()) store.close();
});

it('steps under way are those that each live process announced last', async () => {
  const limits = { ...CALM, stepMaxMs: 1_000 };
  const [one, other] = ['p1', 'p2'].map((process) =>
    openRedisGate(redis.url, { scope: 'b', process }, limits),
  ) as [GateStore, GateStore];
  const say = async (store: GateStore, down: number, up: number) => {
    const message = { id: 'c', underWay: { down, up }, news: null, mayRead: false };
    return (await store.exchange([message], null)).replies[0]?.underWay;
  };
  expect(await say(one, 3, 0)).toEqual({ down: 3, up: 0 });
  expect(await say(other, 2, 5)).toEqual({ down: 5, up: 5 });
  expect(await say(one, 1, 0)).toEqual({ down: 3, up: 5 });
  expect(await say(other, 0, 0)).toEqual({ down: 1, up: 0 });
  await new Promise((resolve) => setTimeout(resolve, 1_050));
  // The value may not include the step yet: it must be read first.
  expect(await say(other, 0, 0)).toEqual({ down: 1, up: 0 });
  const { now } = await other.exchange([], null);
  const reading = { floor: 0, ceiling: null, asOf: now, gateRev: null };
  const news = { rev: 1, value: 4, reading };
  await other.exchange([{ id: 'c', underWay: { down: 0, up: 0 }, news, mayRead: false }], null);
  expect(await say(other, 0, 0)).toEqual({ down: 0, up: 0 });
  one.close();
  other.close();
});

it('a dead process’s steps end in time, even if the clock was set back meanwhile', async () => {
  const limits = { ...CALM, stepMaxMs: 1_000 };
  const [one, other] = ['p1', 'p2'].map((process) =>
    openRedisGate(redis.url, { scope: 'f', process }, limits),
  ) as [GateStore, GateStore];
  const say = async (store: GateStore, down: number, news: GateMessage['news'] = null) => {
    const message = { id: 'c', underWay: { down, up: 0 }, news, mayRead: false };
    return (await store.exchange([message], null)).replies[0]?.underWay;
  };
  await say(one, 3);
  await later(-3_600_000);
  expect(await say(other, 0)).toEqual({ down: 3, up: 0 });
  await later(limits.stepMaxMs);
  const { now } = await other.exchange([], null);
  const reading = { floor: 0, ceiling: null, asOf: now, gateRev: null };
  expect(await say(other, 0, { rev: 1, value: 4, reading })).toEqual({ down: 0, up: 0 });
  one.close();
  other.close();
});

it('one process at a time is asked to read a counter, another if that takes too long', async () => {
  const [one, other] = ['p1', 'p2'].map((process) =>
    openRedisGate(redis.url, { scope: 'c', process }, CALM),
  ) as [GateStore, GateStore];
  const isDue = async (store: GateStore, mayRead = true) => {
    const message = { id: 'c', underWay: { down: 0, up: 0 }, news: null, mayRead };
    return (await store.exchange([message], null)).replies[0]?.readIsDue;
  };
  await one.exchange([], null);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(await isDue(one, false)).toBe(false);
  expect([await isDue(one), await isDue(other), await isDue(one)]).toEqual([true, false, false]);
  await later(CALM.claimMs);
  expect(await isDue(other)).toBe(true);
  one.close();
  other.close();
});

it('unused counters leave nothing behind, and a restart begins with nothing', async () => {
  const limits = { ...CALM, stepMaxMs: 60_000, freshMs: 4_000 };
  const store = openRedisGate(redis.url, { scope: 'd', process: 'p1' }, limits);
  await store.exchange([], null);
  await later(limits.stepMaxMs);
  const tell = async () => {
    const { now } = await store.exchange([], null);
    const reading = { floor: 0, ceiling: null, asOf: now, gateRev: null };
    const news = { rev: 1, value: 4, reading };
    const message = { id: 'c', underWay: { down: 0, up: 0 }, news, mayRead: false };
    return (await store.exchange([message], null)).replies[0]?.state;
  };
  expect(await tell()).toEqual({ rev: 1, value: 4, floor: 0, ceiling: null });
  await store.restart();
  expect(await tell()).toBeNull();
  await later(limits.stepMaxMs);
  expect(await tell()).toMatchObject({ value: 4 });
  await expect
    .poll(() => admin.keys('lockyard:gate:{d}:*'), { timeout: 20_000 })
    .toEqual(['lockyard:gate:{d}:since']);
  store.close();
});

it('a message that arrives late, on an abandoned connection, changes nothing', async () => {
  const relay = await HoldingRelay.start(Number(new URL(redis.url).port));
  const url = `redis://127.0.0.1:${relay.port}`;
  const store = openRedisGate(url, { scope: 'e', process: 'p1' }, { ...CALM, stepMaxMs: 60_000 });
  const say = (down: number) => {
    const message = { id: 'c', underWay: { down, up: 0 }, news: null, mayRead: false };
    return store.exchange([message], null);
  };
  const other = openRedisGate(redis.url, { scope: 'e', process: 'p2' }, CALM);
  const underWay = async () => {
    const message = { id: 'c', underWay: { down: 0, up: 0 }, news: null, mayRead: false };
    return (await other.exchange([message], null)).replies[0]?.underWay.down;
  };
  await say(1);
  relay.hold();
  const late = say(0).catch(() => 'given up');
  await expect.poll(() => relay.held).toBeGreaterThan(0);
  store.reconnect();
  expect(await late).toBe('given up');
  await say(5);
  expect(await relay.release()).toMatch(/^-LATE /);
  expect(await underWay()).toBe(5);
  store.close();
  other.close();
  await relay.close();
});
