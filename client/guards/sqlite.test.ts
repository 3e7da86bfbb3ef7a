import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@libsql/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { guardedUpdate, guardedUpsert, InvalidGuard, type SyncSqlite } from './sqlite';

/** The driver under `@libsql/client`, which has the API of better-sqlite3. */
const driver = createRequire(createRequire(import.meta.url).resolve('@libsql/client'));
const Database: new (
  path: string,
) => SyncSqlite & {
  exec(sql: string): void;
  close(): void;
  transaction(work: () => void): () => void;
} = driver('libsql');

const folder = mkdtempSync(join(tmpdir(), 'lockyard-guards-'));
let client: Client;
let database: InstanceType<typeof Database>;

beforeAll(async () => {
  const path = join(folder, 'guards.db');
  client = createClient({ url: `file:${path}` });
  await client.executeMultiple(`
    CREATE TABLE accounts (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, balance INT, fence INTEGER);
    CREATE TABLE plain (id INTEGER PRIMARY KEY, balance INT);
    CREATE TABLE "odd \`name" ("the key" INT PRIMARY KEY, "a.b" INT, "f?" INTEGER);
  `);
  database = new Database(path);
});
afterAll(() => {
  client.close();
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

let ids = 0;
async function account(fence: number | null = null) {
  const id = ++ids;
  await client.execute({
    sql: 'INSERT INTO accounts VALUES (?, ?, ?, ?)',
    args: [id, 'ana', 100, fence],
  });
  return id;
}

async function rowOf(id: number) {
  const sql = 'SELECT balance, fence FROM accounts WHERE id = ?';
  const { rows } = await client.execute({ sql, args: [id] });
  return rows[0] && { balance: rows[0].balance, fence: rows[0].fence };
}

const paid = (id: number, balance: number, token: number) => ({
  table: 'accounts',
  key: { id },
  set: { balance },
  token,
});

describe('updating a row that is there', () => {
  test('takes a row without a fence, then no lower token', async () => {
    const id = await account();
    expect(await guardedUpdate(client, paid(id, 90, 7))).toEqual({ outcome: 'applied' });
    const stale = { outcome: 'stale', seenToken: 7 };
    expect(await guardedUpdate(client, paid(id, 80, 6))).toEqual(stale);
    expect(await rowOf(id)).toEqual({ balance: 90, fence: 7 });
    expect(await guardedUpdate(client, paid(id, 70, 7))).toEqual({ outcome: 'applied' });
    expect(await rowOf(id)).toEqual({ balance: 70, fence: 7 });
  });

  test('an upsert also takes a row without a fence', async () => {
    const id = await account();
    const write = { ...paid(id, 90, 7), set: { owner: 'bob', balance: 90 } };
    expect(await guardedUpsert(client, write)).toEqual({ outcome: 'applied' });
    expect(await rowOf(id)).toEqual({ balance: 90, fence: 7 });
  });

  test('inserts no row', async () => {
    expect(await guardedUpdate(client, paid(999, 1, 7))).toEqual({ outcome: 'missing' });
    expect(await rowOf(999)).toBeUndefined();
  });

  test('works in a transaction of the caller, and is rolled back with it', async () => {
    const id = await account(3);
    const transaction = await client.transaction('write');
    expect(await guardedUpdate(transaction, paid(id, 50, 9))).toEqual({ outcome: 'applied' });
    expect(await guardedUpdate(transaction, paid(id, 40, 8))).toMatchObject({ outcome: 'stale' });
    await transaction.rollback();
    expect(await rowOf(id)).toEqual({ balance: 100, fence: 3 });
  });

  test('a key of several rows is refused, and a transaction undoes it', async () => {
    const [first] = [await account(), await account()];
    const transaction = await client.transaction('write');
    const write = { table: 'accounts', key: { owner: 'ana' }, set: { balance: 0 }, token: 99 };
    await expect(guardedUpdate(transaction, write)).rejects.toBeInstanceOf(InvalidGuard);
    await transaction.rollback();
    expect(await rowOf(first)).toEqual({ balance: 100, fence: null });
  });
});

test('is synchronous with a synchronous driver, in its transactions too', async () => {
  const id = await account(3);
  expect(guardedUpdate(database, paid(id, 90, 7))).toEqual({ outcome: 'applied' });
  expect(guardedUpsert(database, { ...paid(id, 80, 6), set: { owner: 'x' } })).toEqual({
    outcome: 'stale',
    seenToken: 7,
  });
  const late = database.transaction(() => {
    database.prepare('UPDATE accounts SET owner = ? WHERE id = ?').run('late', id);
    if (guardedUpdate(database, paid(id, 0, 5)).outcome !== 'applied') throw new Error('too late');
  });
  expect(late).toThrow('too late');
  expect(await rowOf(id)).toEqual({ balance: 90, fence: 7 });
});

describe('names and values', () => {
  test('names are quoted whatever is in them', async () => {
    const odd = { table: 'odd `name', key: { 'the key': 1 }, fence: 'f?' };
    for (const write of [guardedUpsert, guardedUpdate]) {
      const first = await write(client, { ...odd, set: { 'a.b': 5 }, token: 3 });
      expect(first).toEqual({ outcome: 'applied' });
      const second = await write(client, { ...odd, set: { 'a.b': 6 }, token: 2 });
      expect(second).toEqual({ outcome: 'stale', seenToken: 3 });
    }
  });

  test('a missing column is an error, and is never read as a text', async () => {
    await client.execute('INSERT INTO plain VALUES (1, 5)');
    const write = { table: 'plain', key: { id: 1 }, set: { balance: 6 }, token: 1 };
    await expect(guardedUpdate(client, write)).rejects.toThrow(/no such column.*fence/i);
    expect(() => guardedUpsert(database, write)).toThrow(/fence/);
  });

  test('an invalid write is refused before anything is sent', () => {
    const unreachable: SyncSqlite = {
      prepare() {
        throw new Error('was sent');
      },
    };
    for (const wrong of [{ key: {} }, { fences: 'fence' }]) {
      const write = { ...paid(1, 1, 1), ...wrong };
      expect(() => guardedUpdate(unreachable, write)).toThrow(InvalidGuard);
      expect(() => guardedUpsert(unreachable, write)).toThrow(InvalidGuard);
    }
  });
});
