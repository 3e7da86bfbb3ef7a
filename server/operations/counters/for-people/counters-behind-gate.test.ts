import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addTables } from '@/db/testing/add-tables';
import { newTestLocation, type TestLocation } from '@/db/testing/test-database';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import type { Actor } from '../../../auth/actor';
import { readConfig } from '../../../bootstrap/config/config';
import { createRuntime } from '../../../bootstrap/create-runtime';
import type { CounterAddAnswer } from '../../../contract/counter';
import { LockyardError } from '../../../contract/errors';
import { DEFAULT_POLICY } from '../../../contract/namespace-policy';
import { systemClock } from '../../../platform/clock';
import { listAudit } from '../../audit/list-audit';
import { createNamespace } from '../../namespaces/create-namespace';
import { deleteNames } from '../../namespaces/delete-names';
import { setNamespacePolicy } from '../../namespaces/set-namespace-policy';
import type { OperationContext, Runtime } from '../../operation-context';
import { insertUserActors, userActor } from '../../testing/test-runtime';
import { addToCounter, createCounter } from '../for-services';
import { getCounterDetail, listCounterMoves } from './counter-views';
import { reconcileCounter } from './reconcile-counter';

const SERVICE: Actor = { kind: 'service', keyId: 'k', service: 'orders', namespaces: ['shop'] };
const reason = 'stock was counted';
const POLICY = { ...DEFAULT_POLICY, gate: 'cache' };
const ref = { namespace: 'shop', name: 'stock' };

let place: TestLocation;
let redis: Awaited<ReturnType<typeof startPrivateRedis>>;
let folder: string;
let runtime: Runtime;
let gateRedis: Redis;
beforeAll(async () => {
  place = await newTestLocation('mysql');
  await addTables(place.url);
  redis = await startPrivateRedis();
  gateRedis = new Redis(redis.url, { protocol: 2 });
  folder = await mkdtemp(join(tmpdir(), 'lockyard-'));
  const config = readConfig({
    LOCKYARD_DATA_DIR: folder,
    LOCKYARD_DATABASE_URL: place.url.kind === 'mysql' ? place.url.url : '',
    LOCKYARD_BACKEND_SIDE: `sqlite:${join(folder, 'side.db')}`,
    LOCKYARD_GATE_CACHE: redis.url,
  });
  runtime = await createRuntime(config, pino({ level: 'silent' }), systemClock);
  await insertUserActors(runtime.database);
  await createNamespace(admin(), { name: 'shop', backend: 'default', policy: POLICY });
  await runtime.namespaces.refresh();
});
afterAll(async () => {
  gateRedis.disconnect();
  await runtime.close();
  await redis.stop();
  await place.remove();
  await rm(folder, { recursive: true, force: true });
});

const as = (actor: Actor): OperationContext => ({
  runtime,
  actor,
  address: '192.0.2.1',
  requestId: 'test',
});
const admin = () => as(userActor('admin'));
const operator = () => as(userActor('operator'));
const gateOf = async () => (await getCounterDetail(as(userActor('viewer')), ref)).gate;
const lastEntry = async () => (await listAudit(operator(), { limit: 1 })).rows[0];

/** Tries again as long as a busy database is too late to change anything. */
async function add(delta: number): Promise<CounterAddAnswer> {
  for (;;) {
    try {
      return await addToCounter(as(SERVICE), { ...ref, delta });
    } catch (error) {
      if (!(error instanceof LockyardError) || error.reason !== 'BACKEND_DOWN') throw error;
      await pause(100);
    }
  }
}

/** Sends steps beyond the bounds until the gate knows the counter. */
async function untilFresh(): Promise<void> {
  const ask = async () => {
    await add(-1_000);
    return (await gateOf())?.status;
  };
  await expect.poll(ask, { timeout: 20_000, interval: 100 }).toBe('fresh');
}

/** Writes without any check, as a fault of that Redis would. */
async function spoil(value: number): Promise<void> {
  // A read that is on its way would repair it at once.
  await pause(1_000);
  const [key = ''] = await gateRedis.keys('lockyard:gate:*:counter:shop#stock');
  const state = (await gateRedis.get(key)) ?? '';
  await gateRedis.set(key, state.replace(/^(\S+) \S+/, `$1 ${value}`), 'KEEPTTL');
}

describe('is this counter true?', () => {
  test('both values, drift, distance to the bounds and the last 20 changes are shown', async () => {
    const made = { ...ref, initial: 30, floor: 0, ceiling: 40 };
    expect(await createCounter(as(SERVICE), made)).toEqual({ outcome: 'created' });
    // A busy machine may make the first exchange late.
    await expect.poll(async () => (await gateOf())?.status).toBe('starting');
    for (let i = 0; i < 25; i += 1) await add(-1);
    await untilFresh();
    const detail = await getCounterDetail(as(userActor('viewer')), ref);
    expect(detail.row).toMatchObject({ value: 5, floor: 0, ceiling: 40 });
    expect(detail.gate).toMatchObject({
      id: 'cache',
      status: 'fresh',
      fast: { value: 5, rev: detail.row.rev, floor: 0, ceiling: 40 },
      drift: 0,
    });
    const estimate = async () => {
      await add(-1_000);
      return (await gateOf())?.estimate;
    };
    await expect.poll(estimate, { timeout: 20_000 }).toEqual({ low: 5, high: 5 });
    expect(await add(-6)).toEqual({
      outcome: 'outOfBounds',
      value: 5,
      floor: 0,
      ceiling: 40,
      estimate: true,
    });
    const moves = () => listCounterMoves(as(userActor('viewer')), { ...ref, limit: 20 });
    await expect.poll(async () => (await moves()).rows.length, { timeout: 10_000 }).toBe(20);
    expect((await moves()).rows[0]).toMatchObject({ kind: 'added', value: 5, delta: -1 });
    expect((await moves()).older).not.toBeNull();
  });

  test('drift is shown until an operator corrects it, at once and with a reason', async () => {
    await untilFresh();
    await spoil(0);
    expect(await gateOf()).toMatchObject({ status: 'fresh', fast: { value: 0 }, drift: -5 });
    const { row } = await getCounterDetail(operator(), ref);
    const act = { ...ref, rev: row.rev, seenValue: 5, seenFastValue: 0, reason, requestId: 'r1' };
    const answer = { outcome: 'reconciled', fastValue: 0, value: 5, rev: row.rev };
    expect(await reconcileCounter(operator(), act)).toEqual(answer);
    expect(await gateOf()).toMatchObject({ fast: { value: 5 }, drift: 0 });
    expect(await lastEntry()).toMatchObject({
      act: 'counter.reconcile',
      namespace: 'shop',
      subject: 'stock',
      reason,
      seen: { value: 5, fastValue: 0 },
      outcome: 'done',
      result: answer,
    });
    expect(await add(-5)).toMatchObject({ outcome: 'applied', value: 0 });
    expect(await add(5)).toMatchObject({ outcome: 'applied', value: 5 });
  });

  test('drift is corrected automatically within 10 s', async () => {
    await untilFresh();
    await spoil(999);
    expect((await gateOf())?.drift).toBe(994);
    const startedAt = performance.now();
    const drift = async () => {
      await add(-1_000);
      return (await gateOf())?.drift;
    };
    await expect.poll(drift, { timeout: 30_000, interval: 200 }).toBe(0);
    // What is promised, and room for a busy machine.
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });

  test('a viewer may not reconcile, and without a gate there is nothing to reconcile', async () => {
    const act = { ...ref, rev: 1, seenValue: 5, seenFastValue: null, reason };
    const viewer = as(userActor('viewer'));
    await expect(reconcileCounter(viewer, act)).rejects.toMatchObject({ reason: 'FORBIDDEN' });
    expect(await lastEntry()).toMatchObject({ act: 'counter.reconcile', outcome: 'refused' });
    const elsewhere = reconcileCounter(operator(), { ...act, namespace: 'default' });
    await expect(elsewhere).rejects.toMatchObject({ reason: 'CONFLICT' });
  });
});

test('the gate forgets a counter whose deletion it missed once it is reconciled', async () => {
  const gone = { namespace: 'shop', name: 'gone' };
  await createCounter(as(SERVICE), { ...gone, initial: 0, floor: 0 });
  const gate = runtime.gates.of('default', 'shop');
  const atGate = async () => {
    await addToCounter(as(SERVICE), { ...gone, delta: -1 }).catch(() => undefined);
    return (await gate?.look(gone))?.state?.value;
  };
  await expect.poll(atGate, { timeout: 20_000, interval: 100 }).toBe(0);
  await runtime.database.raw.ask('DELETE FROM locks WHERE id = ?', ['shop#gone']);
  const act = { ...gone, rev: 1, seenValue: 0, seenFastValue: 0, reason };
  await expect(reconcileCounter(operator(), act)).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  expect((await gate?.look(gone))?.state).toBeNull();
});

test('the gate forgets a counter as soon as it is deleted', async () => {
  await untilFresh();
  // Counters whose revs are ahead of the clock are kept, so this one only seems to be deleted.
  const nameDeletion = {
    delete: async (...[, , run]: Parameters<Runtime['nameDeletion']['delete']>) => {
      run.onResults([{ name: 'stock', outcome: 'deleted' }]);
      return false;
    },
  } as unknown as Runtime['nameDeletion'];
  const ctx = { ...operator(), runtime: { ...runtime, nameDeletion } };
  const chosen = { namespace: 'shop', kind: 'counter' as const, names: ['stock'] };
  const lookOnceDeleted = async () => {
    await deleteNames(ctx, { ...chosen, atMost: 1, reason });
    return gateOf();
  };
  // A read of the counter that was on its way brings it back: it only seems to be deleted.
  const forgotten = { status: 'empty', fast: null };
  await expect.poll(lookOnceDeleted, { interval: 500 }).toMatchObject(forgotten);
});

test('a gate whose Redis rejects requests is shown with the reason while it does', async () => {
  await untilFresh();
  await gateRedis.config('SET', 'maxmemory', '1');
  try {
    await expect.poll(gateOf).toMatchObject({
      status: 'down',
      refusal: 'The memory of this Redis is full (maxmemory): it takes no writes (OOM).',
    });
  } finally {
    await gateRedis.config('SET', 'maxmemory', '0');
  }
  await untilFresh();
  expect(await gateOf()).not.toHaveProperty('refusal');
});

test('a policy names a gate of this server, for a namespace on MySQL', async () => {
  const setGate = (name: string, gate: string | null) =>
    setNamespacePolicy(admin(), { name, policy: { ...POLICY, gate }, reason });
  await createNamespace(admin(), { name: 'embedded', backend: 'side' });
  await expect(setGate('embedded', 'cache')).rejects.toMatchObject({ reason: 'INVALID' });
  await expect(setGate('shop', 'cash')).rejects.toMatchObject({ reason: 'NOT_FOUND' });
  expect((await setGate('shop', null)).policy.gate).toBeNull();
  expect(await gateOf()).toBeNull();
  const plain = createNamespace(admin(), { name: 'more', backend: 'side', policy: POLICY });
  await expect(plain).rejects.toMatchObject({ reason: 'INVALID' });
});
