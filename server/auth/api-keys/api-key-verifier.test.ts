import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TEST_DIALECTS } from '@/db/testing/test-database';
import { createApiKey } from '../../operations/api-keys/create-api-key';
import { listAllApiKeys, listApiKeys } from '../../operations/api-keys/list-api-keys';
import { revokeApiKey } from '../../operations/api-keys/revoke-api-key';
import {
  COMMAND_LINE,
  contextOf,
  openTestRuntime,
  type TestRuntime,
} from '../../operations/testing/test-runtime';
import { TestClock } from '../../platform/testing/test-clock';
import { newApiKey, parseApiKey } from './api-key-text';
import { ApiKeyVerifier } from './api-key-verifier';

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

test('a key with any one character changed is refused without a query', () => {
  const { key } = newApiKey();
  expect(parseApiKey(key)).not.toBeNull();
  for (let at = 0; at < key.length; at++) {
    const other = LETTERS[(LETTERS.indexOf(key[at] ?? '') + 1) % LETTERS.length];
    expect(parseApiKey(key.slice(0, at) + other + key.slice(at + 1))).toBeNull();
  }
  for (const text of ['', key.slice(0, -1), `${key}0`, ` ${key}`, `${key}\n`, 'lyk__']) {
    expect(parseApiKey(text)).toBeNull();
  }
});

describe.each(TEST_DIALECTS)('API keys on %s', (dialect) => {
  let runtime: TestRuntime;
  beforeAll(async () => {
    runtime = await openTestRuntime(dialect);
  });
  afterAll(() => runtime.close());

  const ctx = () => contextOf(runtime, COMMAND_LINE);
  const create = (name = 'orders') => createApiKey(ctx(), { name, namespaces: ['default'] });

  test('a recently used key is recognised without a query, for at most a second', async () => {
    const { id, key } = await create();
    expect(runtime.apiKeys.recognise(key)).toBeNull();
    const actor = await runtime.apiKeys.verify(key);
    expect(runtime.apiKeys.recognise(key)).toEqual({ keyId: id, actor });
    runtime.clock.pass(1_000);
    expect(runtime.apiKeys.recognise(key)).toEqual({ keyId: id, actor: null });
    const { key: other } = newApiKey();
    expect(runtime.apiKeys.recognise(other)).toBeNull();
    expect(runtime.apiKeys.recognise('lyk_')).toBeNull();
  });

  test('a key is its service, in its namespaces', async () => {
    const { id, key } = await create();
    expect(await runtime.apiKeys.verify(key)).toEqual({
      kind: 'service',
      keyId: id,
      service: 'orders',
      namespaces: ['default'],
    });
  });

  test('no stored value can be used as a key', async () => {
    const { key } = await create();
    const [, , secret = ''] = key.split('_');
    const { db, tables } = runtime.database;
    const dump = JSON.stringify([
      await db.select().from(tables.apiKeys),
      await db.select().from(tables.audit),
    ]);
    expect(dump).not.toContain(secret.slice(0, 12));
    expect(dump).not.toContain(secret.slice(-12));
  });

  test('the right id with another secret is refused', async () => {
    const { key } = await create();
    const other = await create();
    const forged = newApiKey();
    for (const text of [forged.key, 'no key', '', `Bearer ${key}`]) {
      await expect(runtime.apiKeys.verify(text)).rejects.toMatchObject({
        reason: 'UNAUTHENTICATED',
      });
    }
    const { db, tables } = runtime.database;
    const parsed = parseApiKey(key);
    await db
      .update(tables.apiKeys)
      .set({ secretHash: parsed?.secretHash ?? '' })
      .where(eq(tables.apiKeys.id, other.id));
    await expect(runtime.apiKeys.verify(other.key)).rejects.toMatchObject({
      reason: 'UNAUTHENTICATED',
    });
  });

  test('a key that was valid is refused once another secret is stored under its id', async () => {
    const { id, key } = await create();
    await runtime.apiKeys.verify(key);
    expect(runtime.apiKeys.recognise(key)).not.toBeNull();
    const { db, tables } = runtime.database;
    const other = parseApiKey(newApiKey().key);
    const secretHash = other?.secretHash ?? expect.fail('A new key was not a key.');
    await db.update(tables.apiKeys).set({ secretHash }).where(eq(tables.apiKeys.id, id));
    runtime.apiKeys.forget(id);
    expect(runtime.apiKeys.recognise(key)).toBeNull();
    await expect(runtime.apiKeys.verify(key)).rejects.toThrow('Invalid API key.');
    expect(runtime.apiKeys.recognise(key)).toBeNull();
  });

  test('a revoked key is refused at once where it was revoked, elsewhere within 1 s', async () => {
    const { id, key } = await create();
    const elsewhere = runtime.anotherProcess();
    await runtime.apiKeys.verify(key);
    await elsewhere.apiKeys.verify(key);
    const { revokedAt } = await revokeApiKey(ctx(), { id });
    await expect(runtime.apiKeys.verify(key)).rejects.toMatchObject({ reason: 'UNAUTHENTICATED' });
    runtime.clock.pass(1_000);
    await expect(elsewhere.apiKeys.verify(key)).rejects.toMatchObject({
      reason: 'UNAUTHENTICATED',
    });
    runtime.clock.pass(5_000);
    expect(await revokeApiKey(ctx(), { id })).toEqual({ id, revokedAt });
    await elsewhere.apiKeys.close();
  });

  test('a thousand calls with one key cost a handful of queries', async () => {
    const { key } = await create();
    const { db } = runtime.database;
    let questions = 0;
    const counting = new Proxy(db, {
      get(target, property) {
        if (property === 'select') questions++;
        return Reflect.get(target, property) as unknown;
      },
    });
    const ring = new ApiKeyVerifier({
      ...runtime,
      database: Object.create(runtime.database, { db: { value: counting } }),
    });
    await Promise.all(Array.from({ length: 500 }, () => ring.verify(key)));
    for (let call = 0; call < 500; call++) await ring.verify(key);
    expect(questions).toBe(1);
    await ring.close();
  });

  test('last uses that could not be written are written the next time', async () => {
    const keys = [await create('nightly'), await create('weekly')];
    const { database } = runtime;
    let failures = 1;
    const db = new Proxy(database.db, {
      get(target, property) {
        if (property === 'update' && failures-- > 0) throw new Error('The database is away.');
        return Reflect.get(target, property) as unknown;
      },
    });
    const failing = Object.create(database, { db: { value: db } });
    const verifier = new ApiKeyVerifier({ ...runtime, database: failing });
    for (const { key } of keys) await verifier.verify(key);
    for (let writes = 0; writes < 2; writes++) await verifier.close();
    const rows = await listAllApiKeys(ctx());
    const lastUses = keys.map(({ id }) => rows.find((row) => row.id === id)?.lastUsedAt);
    expect(lastUses).toEqual([runtime.clock.now(), runtime.clock.now()]);
  });

  test('the last use is known after the server has ended', async () => {
    const process = runtime.anotherProcess();
    const { id, key } = await create('seldom');
    await process.apiKeys.verify(key);
    const usedAt = runtime.clock.now();
    await process.apiKeys.close();
    const row = (await listAllApiKeys(ctx())).find((each) => each.id === id);
    expect(row).toMatchObject({ name: 'seldom', createdBy: 'command line', lastUsedAt: usedAt });
    expect(Object.keys(row ?? {})).not.toContain('secretHash');
  });

  test('a key is refused from its expiry on, and no clock makes it valid again', async () => {
    const { id, expiresAt } = await createApiKey(ctx(), {
      name: 'ending',
      namespaces: ['default'],
      expiresInMs: 60_000,
    });
    const { id: later } = await createApiKey(ctx(), {
      name: 'later',
      namespaces: ['default'],
      expiresInMs: 120_000,
    });
    runtime.clock.pass(60_000);
    await runtime.anotherProcess().apiKeys.close();
    runtime.clock.pass(-30_000);
    const rows = await listAllApiKeys(ctx());
    runtime.clock.pass(30_000);
    const ended = rows.find((row) => row.id === id);
    expect(ended).toMatchObject({ state: 'expired', revokedAt: expiresAt });
    expect(rows.find((row) => row.id === later)).toMatchObject({ state: 'live', revokedAt: null });
  });

  test('a process with a clock ahead refuses a key as expired, but for itself only', async () => {
    // By the clock of the database, which no test moves.
    const expiresAt = Date.now() + 60 * 60_000;
    const input = { name: 'ahead', namespaces: ['default'], expiresAt };
    const { id, key } = await createApiKey(ctx(), input);
    const ahead = new ApiKeyVerifier({ ...runtime, clock: new TestClock(expiresAt) });
    await expect(ahead.verify(key)).rejects.toMatchObject({ detail: 'keyExpired' });
    await ahead.close();
    const row = (await listAllApiKeys(ctx())).find((each) => each.id === id);
    expect(row).toMatchObject({ state: 'live', revokedAt: null });
    expect(await runtime.apiKeys.verify(key)).toMatchObject({ service: 'ahead' });
  });

  test('keys are listed in pages, newest first, and all are read page by page', async () => {
    const names = ['page-a', 'page-b', 'page-c'];
    for (const name of names) await createApiKey(ctx(), { name, namespaces: ['default'] });
    const all = (await listAllApiKeys(ctx())).map(({ id }) => id);
    const paged: string[] = [];
    let before: string | undefined;
    do {
      const { rows, older } = await listApiKeys(ctx(), { before, limit: 2 });
      expect(rows.length).toBeLessThanOrEqual(2);
      paged.push(...rows.map(({ id }) => id));
      before = older ?? undefined;
    } while (before !== undefined);
    expect(paged).toEqual(all);
    expect(all.length).toBeGreaterThanOrEqual(names.length);
  });

  test('no key is created for a namespace that does not exist', async () => {
    const failing = createApiKey(ctx(), { name: 'lost', namespaces: ['default', 'nowhere'] });
    await expect(failing).rejects.toMatchObject({ reason: 'NOT_FOUND' });
    const names = (await listAllApiKeys(ctx())).map(({ name }) => name);
    expect(names).not.toContain('lost');
  });

  test('revoking a key that never existed is reported', async () => {
    await expect(revokeApiKey(ctx(), { id: 'never' })).rejects.toMatchObject({
      reason: 'NOT_FOUND',
    });
  });
});
