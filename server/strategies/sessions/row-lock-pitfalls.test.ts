import { setTimeout } from 'node:timers/promises';
import type { Pool, RowDataPacket } from 'mysql2/promise';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inTransaction } from '../in-transaction';
import { isDeadlock } from '../mysql-error';
import { NotGranted } from '../not-granted';
import { openEnded, signal } from '../testing/open-ended';
import { openScratchMysql, type ScratchMysql } from '../testing/scratch-mysql';
import { shardOf, withShardedRowLock } from './sharded-row-lock';
import { createRowLockTable, lockRow, withRowLock } from './with-row-lock';
import { withRowLocks } from './with-row-locks';

let scratch: ScratchMysql;
let pool: Pool;
beforeEach(async () => {
  scratch = await openScratchMysql();
  pool = scratch.pool();
  await createRowLockTable(pool, ['a', 'b', 'c']);
});
afterEach(() => scratch.close());

test('without a name the work runs without a lock, and still in a transaction', async () => {
  await pool.query('CREATE TABLE written (id INT NOT NULL)');
  const holder = openEnded();
  const held = withRowLock(pool, 'a', holder.work);
  await holder.begun;
  const failing = withRowLock(pool, null, async (connection) => {
    await connection.query('INSERT INTO written VALUES (1)');
    throw new Error('The work failed.');
  });
  await expect(failing).rejects.toThrow('The work failed.');
  expect((await pool.query('SELECT id FROM written'))[0]).toEqual([]);
  holder.end();
  await held;
});

test('with a name without a row the work does not run', async () => {
  let ran = false;
  const work = async () => {
    ran = true;
  };
  await expect(withRowLock(pool, 'unknown', work)).rejects.toThrow(NotGranted);
  await expect(withRowLocks(pool, ['a', 'unknown'], work)).rejects.toThrow(NotGranted);
  expect(ran).toBe(false);
  await withRowLock(pool, 'a', work, { waitMs: 1_000 });
});

test('pitfall: a pool of two connections is two locks, however many names are free', async () => {
  const small = scratch.pool({ connectionLimit: 2 });
  const holders = [openEnded(), openEnded()] as const;
  const held = [withRowLock(small, 'a', holders[0].work), withRowLock(small, 'b', holders[1].work)];
  await Promise.all(holders.map(({ begun }) => begun));
  let isThirdIn = false;
  const enter = async () => {
    isThirdIn = true;
  };
  const third = withRowLock(small, 'c', enter, { waitMs: 1_000 });
  // The database allows it: c is free.
  await withRowLock(pool, 'c', async () => {});
  await setTimeout(1_200);
  expect(isThirdIn, 'waitMs bounds the wait for the row, not the one for a connection').toBe(false);
  for (const { end } of holders) end();
  await Promise.all([...held, third]);
  expect(isThirdIn).toBe(true);
});

test('pitfall: a ghost session stalls every caller until its connection ends', async () => {
  const ghost = await scratch.pool().getConnection();
  await ghost.query('BEGIN');
  await lockRow(ghost, 'a');
  const notes: string[] = [];
  const options = { waitMs: 1_000, note: (what: string) => void notes.push(what) };
  const attempts = [1, 2, 3].map(() => withRowLock(pool, 'a', async () => {}, options));
  const outcomes = await Promise.allSettled(attempts);
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(NotGranted) });
  }
  expect(notes).toEqual(['conflict', 'conflict', 'conflict']);
  const waiting = withRowLock(pool, 'a', async () => 'granted');
  await scratch.untilWaiting(1);
  ghost.destroy();
  expect(await waiting).toBe('granted');
});

test('a custom wait time does not affect the next user of the connection', async () => {
  const one = scratch.pool({ connectionLimit: 1 });
  const timeout = async () =>
    (await one.query('SELECT @@SESSION.innodb_lock_wait_timeout AS seconds'))[0];
  const before = await timeout();
  await withRowLock(one, 'a', async () => {}, { waitMs: 7_000 });
  expect(await timeout()).toEqual(before);
});

test('pitfall: it is not reentrant: a caller that re-enters waits for itself', async () => {
  const again = withRowLock(pool, 'a', () =>
    withRowLock(pool, 'a', async () => {}, { waitMs: 1_000 }),
  );
  await expect(again).rejects.toThrow(NotGranted);
});

test('pitfall: rows that two callers lock in opposite order deadlock', async () => {
  const bothHaveOne = signal();
  let have = 0;
  const caller = (first: string, second: string) =>
    inTransaction(pool, async (connection) => {
      await lockRow(connection, first);
      have += 1;
      if (have === 2) bothHaveOne.give();
      await bothHaveOne.given;
      await lockRow(connection, second);
    });
  const outcomes = await Promise.allSettled([caller('a', 'b'), caller('b', 'a')]);
  const failures = outcomes.filter(({ status }) => status === 'rejected');
  expect(failures).toHaveLength(1);
  expect(isDeadlock((failures[0] as PromiseRejectedResult).reason)).toBe(true);
});

test('several locks in whatever order they are named do not deadlock', async () => {
  const notes: string[] = [];
  const note = (what: string) => void notes.push(what);
  const orders = [
    ['a', 'b', 'c'],
    ['c', 'b', 'a'],
    ['b', 'a'],
    ['c', 'a', 'a'],
  ];
  const callers = Array.from({ length: 40 }, (_, i) => orders[i % orders.length] as string[]);
  await Promise.all(callers.map((names) => withRowLocks(pool, names, async () => {}, { note })));
  expect(notes).toEqual([]);
});

test('several locks are all held, or none', async () => {
  const holder = openEnded();
  const held = withRowLock(pool, 'b', holder.work);
  await holder.begun;
  const refused = withRowLocks(pool, ['a', 'b'], async () => {}, { waitMs: 1_000 });
  await expect(refused).rejects.toThrow(NotGranted);
  await withRowLock(pool, 'a', async () => {}, { waitMs: 1_000 });
  holder.end();
  await held;
});

/** How the code that strategy 4 comes from selected a database: `Math.abs(hashCode()) % n`. */
function shardByAbsoluteValue(name: string, shards: number): number {
  let hash = 0;
  for (const letter of name) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0;
  // The absolute value of a 32-bit integer is one.
  return (Math.abs(hash) | 0) % shards;
}

test('a name always selects a database, even with the lowest possible hash', () => {
  const NAME = 'polygenelubricants';
  expect(shardByAbsoluteValue(NAME, 3)).toBeLessThan(0);
  for (const name of [NAME, '', 'a', '锁', ...Array.from({ length: 1_000 }, (_, i) => `n-${i}`)]) {
    const shard = shardOf(name, 3);
    expect([0, 1, 2]).toContain(shard);
    expect(shardOf(name, 3)).toBe(shard);
  }
  // It must never change: locks that are held would move.
  expect(shardOf('shirts', 1_000_000)).toBe(971_459);
});

test('pitfall: another number of databases moves names, so a lock is held twice', async () => {
  const name = 'moved';
  const elsewhere = await openScratchMysql();
  try {
    const pools = [pool, elsewhere.pool()];
    await createRowLockTable(pool, [name]);
    await createRowLockTable(pools[1] as Pool, [name]);
    expect([shardOf(name, 1), shardOf(name, 2)]).toEqual([0, 1]);
    const holder = openEnded();
    const held = withShardedRowLock([pool], name, holder.work);
    await holder.begun;
    const second = await withShardedRowLock(pools, name, async () => 'held as well');
    expect(second).toBe('held as well');
    holder.end();
    await held;
  } finally {
    await elsewhere.close();
  }
});

test('a wait whose connection breaks fails with that reason', async () => {
  const holder = openEnded();
  const held = withRowLock(pool, 'a', holder.work);
  await holder.begun;
  const own = scratch.pool({ connectionLimit: 1 });
  const [[connection]] = await own.query<RowDataPacket[]>('SELECT CONNECTION_ID() AS id');
  const waiting = withRowLock(own, 'a', async () => {}, { waitMs: 30_000 });
  waiting.catch(() => undefined);
  const isWaiting = async () => {
    const sql = 'SELECT info FROM information_schema.processlist WHERE id = ?';
    const [[row]] = await pool.query<RowDataPacket[]>(sql, [connection?.id]);
    return String(row?.info);
  };
  await expect.poll(isWaiting).toContain('FOR UPDATE');
  await pool.query('KILL ?', [connection?.id]);
  await expect(waiting).rejects.toThrow(/connection was killed|Connection lost/i);
  holder.end();
  await held;
});
