import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '@/db/migrate';
import { openDatabase } from '@/db/open-database';
import { MysqlStore } from '../backends/mysql-store';
import { freshKey, stored } from '../backends/testing/changes';
import { PrivateMysql } from '../backends/testing/private-mysql';
import { createScratchDatabase } from '../backends/testing/stores-under-test';
import type { LockyardError } from '../domain/errors';
import { DEFAULT_POLICY } from '../domain/namespace-policy';
import { createEngine } from './create-engine';
import type { LockEngine } from './lock-engine';
import { newWriter } from './new-writer';
import { acquire, kindsOf, pause, release, releaseOf, renew, take } from './testing/engine-rig';

const WITHIN_MS = 5_000;

let server: PrivateMysql;
let url: string;
let engine: LockEngine;
let here: { engine: LockEngine };

beforeAll(async () => {
  server = await PrivateMysql.start();
  url = (await createScratchDatabase(server.url)).url;
  const database = await openDatabase({ kind: 'mysql', url });
  await migrate(database);
  await database.close();
  engine = await createEngine({
    backend: 'default',
    kind: 'mysql',
    store: new MysqlStore(url),
    epochOf: () => 1,
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    processId: 'test',
    newWriter,
    policyOf: () => DEFAULT_POLICY,
  });
  here = { engine };
}, 60_000);
afterAll(async () => {
  await engine?.close();
  await server?.remove();
});

const reasonOf = (work: Promise<unknown>) => {
  const startedAt = performance.now();
  const done = (said: string) => ({ said, ms: performance.now() - startedAt });
  return work.then(
    (answer) => done((answer as { outcome: string }).outcome),
    (error: LockyardError) => done(error.reason ?? String(error)),
  );
};

/** Asks every 50 ms, as its callers go on doing, and keeps what each was told. */
const keepAsking = (forMs: number) => {
  const asked: ReturnType<typeof reasonOf>[] = [];
  const startedAt = performance.now();
  const done = (async () => {
    for (let i = 0; performance.now() - startedAt < forMs; i += 1) {
      const key = freshKey();
      asked.push(reasonOf(acquire(here, key, 'w', i % 3 === 0 ? { requestId: 'r' } : {})));
      await pause(50);
    }
    return Promise.all(asked);
  })();
  return done;
};

const recovered = async () => {
  const startedAt = performance.now();
  while ((await reasonOf(acquire(here, freshKey(), 'w'))).said !== 'granted') await pause(20);
  return performance.now() - startedAt;
};

describe.each([
  {
    how: 'is frozen',
    stop: async () => server.freeze(),
    resume: async () => server.thaw(),
  },
  { how: 'is killed', stop: () => server.kill(), resume: () => server.run() },
])('a database that $how', ({ stop, resume }) => {
  beforeEach(async () => {
    await recovered();
  });
  afterEach(() => resume());

  it('is told of within 5 s to every caller, by what is known, and it recovers by itself within 5 s', async () => {
    const key = freshKey();
    const { token } = await take(here, key, 'w1', { leaseMs: 60_000 });
    const asking = keepAsking(7_000);
    await pause(300);
    const underWay = [
      reasonOf(renew(here, key, 'w1', token)),
      reasonOf(acquire(here, freshKey(), 'w2')),
      reasonOf(engine.run(key, { verb: 'inspect' })),
      reasonOf(engine.run(key, { verb: 'check', token })),
    ];
    await stop();
    const after = [
      reasonOf(renew(here, key, 'w1', token)),
      reasonOf(release(here, freshKey(), 'w1', token)),
      reasonOf(engine.run(key, { verb: 'inspect' })),
      reasonOf(acquire(here, freshKey(), 'w3', { waitMs: 1_000 })),
    ];
    const all = [...(await Promise.all([...underWay, ...after])), ...(await asking)];
    const slowest = Math.max(...all.map(({ ms }) => ms));
    expect(engine.health().reachable).toBe(false);
    expect(slowest).toBeLessThan(WITHIN_MS);
    const allowed = ['granted', 'renewed', 'lost', 'BACKEND_DOWN', 'UNKNOWN', 'undefined'];
    for (const { said } of all) expect(allowed).toContain(String(said));
    expect(all.filter(({ said }) => said === 'BACKEND_DOWN').length).toBeGreaterThan(50);
    expect(await reasonOf(engine.run(key, { verb: 'inspect' }))).toMatchObject({
      said: 'BACKEND_DOWN',
    });

    await resume();
    expect(await recovered()).toBeLessThan(WITHIN_MS);
    expect(engine.health().reachable).toBe(true);
    expect(await renew(here, key, 'w1', token)).toMatchObject({ outcome: 'renewed' });
  }, 60_000);

  it('applies nothing that was told `nothing was changed`, and nothing twice', async () => {
    const keys = Array.from({ length: 40 }, () => freshKey());
    const holds = await Promise.all(
      keys.map((key) => take(here, key, 'w1', { leaseMs: 60_000, requestId: 'in' })),
    );
    const out = (i: number) =>
      engine.run(
        keys[i] ?? freshKey(),
        releaseOf(keys[i] ?? freshKey(), 'w1', holds[i]?.token ?? 0, 'out'),
      );
    const told = keys.map((_, i) => pause(i * 10).then(() => reasonOf(out(i))));
    await pause(150);
    await stop();
    const said = (await Promise.all(told)).map((each) => each.said);
    await resume();
    await recovered();
    const store = new MysqlStore(url);
    for (const [i, key] of keys.entries()) {
      const kinds = await kindsOf(store, key);
      if (said[i] === 'released') expect(kinds).toEqual(['granted', 'released']);
      if (said[i] === 'BACKEND_DOWN') expect(kinds).toEqual(['granted']);
      expect(await out(i)).toEqual({ outcome: 'released' });
      expect(await kindsOf(store, key)).toEqual(['granted', 'released']);
      expect((await stored(store, key)).rev).toBeGreaterThan(0);
    }
    await store.close();
  }, 60_000);

  it('keeps those who wait waiting, and grants them when it is back', async () => {
    const key = freshKey();
    const { token } = await take(here, key, 'w1', { leaseMs: 60_000 });
    const waiting = reasonOf(acquire(here, key, 'w2', { waitMs: 20_000 }));
    await pause(300);
    await stop();
    await pause(1_000);
    await resume();
    await recovered();
    await release(here, key, 'w1', token);
    expect((await waiting).said).toBe('granted');
  }, 60_000);
});
