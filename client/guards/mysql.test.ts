import { createPool, type Pool } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newTestLocation, type TestLocation } from '@/db/testing/test-database';
import { guardedUpdate, guardedUpsert, InvalidGuard } from './mysql';

let place: TestLocation;
let pool: Pool;

beforeAll(async () => {
  place = await newTestLocation('mysql');
  if (place.url.kind !== 'mysql') throw new Error('not MySQL');
  pool = createPool({ uri: place.url.url });
  await pool.query(
    'CREATE TABLE accounts ' +
      '(id BIGINT PRIMARY KEY, owner VARCHAR(20) NOT NULL, balance INT, fence BIGINT)',
  );
  await pool.query(
    'CREATE TABLE fences (resource VARCHAR(100) PRIMARY KEY, fence BIGINT NOT NULL)',
  );
  await pool.query('CREATE TABLE `odd ``name` (`the key` INT PRIMARY KEY, `a.b` INT, `f?` BIGINT)');
});
afterAll(async () => {
  await pool?.end();
  await place?.remove();
});

let ids = 0;
async function account(fence: number | null = null) {
  const id = ++ids;
  await pool.execute('INSERT INTO accounts VALUES (?, ?, ?, ?)', [id, 'ana', 100, fence]);
  return id;
}

async function rowOf(id: number) {
  const [rows] = await pool.execute('SELECT balance, fence FROM accounts WHERE id = ?', [id]);
  return (rows as { balance: number; fence: number }[])[0];
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
    expect(await guardedUpdate(pool, paid(id, 90, 7))).toEqual({ outcome: 'applied' });
    const stale = { outcome: 'stale', seenToken: 7 };
    expect(await guardedUpdate(pool, paid(id, 80, 6))).toEqual(stale);
    expect(await rowOf(id)).toEqual({ balance: 90, fence: 7 });
    expect(await guardedUpdate(pool, paid(id, 70, 7))).toEqual({ outcome: 'applied' });
    expect(await rowOf(id)).toEqual({ balance: 70, fence: 7 });
  });

  test('an upsert also takes a row without a fence', async () => {
    const id = await account();
    const write = { ...paid(id, 90, 7), set: { owner: 'bob', balance: 90 } };
    expect(await guardedUpsert(pool, write)).toEqual({ outcome: 'applied' });
    expect(await rowOf(id)).toEqual({ balance: 90, fence: 7 });
  });

  test('inserts no row', async () => {
    expect(await guardedUpdate(pool, paid(999, 1, 7))).toEqual({ outcome: 'missing' });
    expect(await rowOf(999)).toBeUndefined();
  });

  test('distinguishes an unchanged row from a stale write, however rows are counted', async () => {
    if (place.url.kind !== 'mysql') throw new Error('not MySQL');
    const counting = createPool({ uri: place.url.url, flags: ['-FOUND_ROWS'] });
    try {
      const id = await account();
      for (const db of [pool, counting, counting]) {
        expect(await guardedUpdate(db, paid(id, 90, 7))).toEqual({ outcome: 'applied' });
        expect(await guardedUpsert(db, raised(`same ${id}`, 7))).toEqual({ outcome: 'applied' });
      }
      for (const db of [pool, counting]) {
        const stale = { outcome: 'stale', seenToken: 7 };
        expect(await guardedUpdate(db, paid(id, 90, 6))).toEqual(stale);
        expect(await guardedUpsert(db, raised(`same ${id}`, 6))).toEqual(stale);
      }
    } finally {
      await counting.end();
    }
  });

  test("sees others' commits, even if its transaction has an older snapshot", async () => {
    const id = await account(3);
    const connection = await pool.getConnection();
    try {
      await connection.beginTransaction();
      await connection.execute('SELECT * FROM accounts WHERE id = ?', [id]);
      await guardedUpdate(pool, paid(id, 50, 9));
      const stale = { outcome: 'stale', seenToken: 9 };
      expect(await guardedUpdate(connection, paid(id, 60, 8))).toEqual(stale);
    } finally {
      await connection.rollback();
      connection.release();
    }
  });

  test('a key of several rows is refused, and a transaction undoes it', async () => {
    const [first, second] = [await account(), await account()];
    const connection = await pool.getConnection();
    try {
      await connection.beginTransaction();
      const write = { table: 'accounts', key: { owner: 'ana' }, set: { balance: 0 }, token: 9 };
      await expect(guardedUpdate(connection, write)).rejects.toBeInstanceOf(InvalidGuard);
      await connection.rollback();
    } finally {
      connection.release();
    }
    expect(await rowOf(first)).toEqual({ balance: 100, fence: null });
    expect(await rowOf(second)).toEqual({ balance: 100, fence: null });
  });
});

const raised = (resource: string, token: number) => ({
  table: 'fences',
  key: { resource },
  set: {},
  token,
});

describe('a table of fences', () => {
  /** Raises the fence, then moves money, in one transaction. */
  async function transfer(token: number, amount: number, [from, to]: [number, number]) {
    const connection = await pool.getConnection();
    try {
      await connection.beginTransaction();
      const { outcome } = await guardedUpsert(connection, raised(`transfer ${from}`, token));
      const move = 'UPDATE accounts SET balance = balance + ? WHERE id = ?';
      await connection.execute(move, [-amount, from]);
      await connection.execute(move, [amount, to]);
      await (outcome === 'applied' ? connection.commit() : connection.rollback());
      return outcome;
    } finally {
      connection.release();
    }
  }

  test('guards any writes of a transaction', async () => {
    const rows: [number, number] = [await account(), await account()];
    expect(await transfer(5, 10, rows)).toBe('applied');
    expect(await transfer(6, 10, rows)).toBe('applied');
    expect(await transfer(5, 10, rows)).toBe('stale');
    expect(await rowOf(rows[0])).toMatchObject({ balance: 80 });
    expect(await rowOf(rows[1])).toMatchObject({ balance: 120 });
  });

  test('a successor waits for a transaction that raised the fence before it', async () => {
    const early = await pool.getConnection();
    try {
      await early.beginTransaction();
      expect(await guardedUpsert(early, raised('queue', 1))).toEqual({ outcome: 'applied' });
      let isDone = false;
      const late = guardedUpsert(pool, raised('queue', 2)).finally(() => {
        isDone = true;
      });
      await early.query('SELECT SLEEP(0.2)');
      expect(isDone).toBe(false);
      await early.commit();
      expect(await late).toEqual({ outcome: 'applied' });
    } finally {
      early.release();
    }
  });
});

describe('names and values', () => {
  const odd = { table: 'odd `name', key: { 'the key': 1 }, fence: 'f?' };

  test('names are quoted whatever is in them', async () => {
    for (const write of [guardedUpsert, guardedUpdate]) {
      expect(await write(pool, { ...odd, set: { 'a.b': 5 }, token: 3 })).toEqual({
        outcome: 'applied',
      });
      expect(await write(pool, { ...odd, set: { 'a.b': 6 }, token: 2 })).toMatchObject({
        outcome: 'stale',
      });
    }
  });

  test('a schema may precede the table', async () => {
    const [[row]] = (await pool.query('SELECT DATABASE() AS name')) as unknown as [
      { name: string }[],
    ];
    const id = await account();
    const table = [row?.name ?? '', 'accounts'] as const;
    const write = { ...paid(id, 1, 4), table };
    expect(await guardedUpdate(pool, write)).toEqual({ outcome: 'applied' });
  });

  test.each([
    { key: {} },
    { key: { id: null } },
    { key: { id: undefined } },
    { set: { balance: undefined } },
    { set: { FENCE: 1 } },
    { set: { id: 1 } },
    { fence: 'id' },
    { fence: '' },
    { table: '' },
    { table: 'a\0b' },
    { table: [] },
    { table: ['a', 'b', 'c'] },
    { set: { '': 1 } },
  ])('%o makes no sense, and nothing is sent', async (change) => {
    const unreachable = { execute: () => Promise.reject(new Error('was sent')) };
    const write = { ...paid(1, 1, 1), ...(change as object) };
    for (const guarded of [guardedUpdate, guardedUpsert]) {
      await expect(guarded(unreachable, write)).rejects.toBeInstanceOf(InvalidGuard);
    }
  });
});
