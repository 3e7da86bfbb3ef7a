/*
 * Strategy 7: a lock table, version 2, with one central lock.
 *
 * Every change of any record first locks the row `center_lock`, and then creates or updates the
 * record; that row always exists, so no gap is locked, and there are no deadlocks. The lock is
 * granted if its `status` is 0 or its `deadline` has passed. Callers that are refused try again a
 * little later.
 *
 * Known limits: one acquire or release at a time in the whole table, each with a disk flush at its
 * commit. No owner: any caller can release, even one whose lease expired long ago, and then frees
 * the lock of its successor. No queue: the next holder is the caller with the first attempt. A
 * paused holder may still write after its deadline. Deadlines are set and judged on the database's
 * clock; setting that clock moves all of them.
 *
 * Source: catalogue, section B, strategy 7; a write-up on a lock table for MySQL, its second
 * version.
 */
import type { Pool, PoolConnection, RowDataPacket } from 'mysql2/promise';
import { inTransaction } from '../in-transaction';
import { mysqlDatabase } from '../mysql-database';
import { type PollOptions, pollUntilGranted } from '../poll-until-granted';
import { thenRelease } from '../then-release';
import { createLockTable, type LockTableOptions, YEAR_LEASE_MS } from './lock-table';

const CENTER = 'center_lock';

/** Creates the table and its central row. */
export async function createCentralLockTable(pool: Pool, table = 'central_locks'): Promise<void> {
  await createLockTable(mysqlDatabase(pool), table);
  await pool.query(
    `INSERT INTO ${table} (name, count, deadline, description, create_time, modify_time, status)
     VALUES (?, 0, UTC_TIMESTAMP(6), '', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), 0)
     ON DUPLICATE KEY UPDATE name = name`,
    [CENTER],
  );
}

/** Tries once. False: it is held. */
export function tryCentralTableLock(
  pool: Pool,
  name: string,
  { table = 'central_locks', leaseMs = YEAR_LEASE_MS, description = '' }: LockTableOptions = {},
): Promise<boolean> {
  return underCenter(pool, table, async (connection) => {
    // A statement's time is that of its start: this one starts after the central row is locked.
    const [rows] = await connection.execute<RowDataPacket[]>(
      `SELECT status = 0 OR deadline < UTC_TIMESTAMP(6) AS is_free FROM ${table} WHERE name = ?`,
      [name],
    );
    const [record] = rows;
    if (record && !record.is_free) return false;
    if (record) {
      await connection.execute(
        `UPDATE ${table}
         SET count = count + 1, status = 1, modify_time = UTC_TIMESTAMP(6),
           deadline = UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND
         WHERE name = ?`,
        [leaseMs * 1_000, name],
      );
    } else {
      await connection.execute(
        `INSERT INTO ${table}
           (name, count, deadline, description, create_time, modify_time, status)
         VALUES (?, 1, UTC_TIMESTAMP(6) + INTERVAL ? MICROSECOND, ?,
           UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), 1)`,
        [name, leaseMs * 1_000, description],
      );
    }
    return true;
  });
}

/** Releases the lock, whichever caller holds it by now. */
export function releaseCentralTableLock(
  pool: Pool,
  name: string,
  { table = 'central_locks' }: LockTableOptions = {},
): Promise<void> {
  return underCenter(pool, table, async (connection) => {
    await connection.execute(
      `UPDATE ${table} SET status = 0, modify_time = UTC_TIMESTAMP(6) WHERE name = ?`,
      [name],
    );
  });
}

function underCenter<T>(
  pool: Pool,
  table: string,
  work: (connection: PoolConnection) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (connection) => {
    await connection.execute(`SELECT name FROM ${table} WHERE name = ? FOR UPDATE`, [CENTER]);
    return work(connection);
  });
}

/** Runs the work under the lock. Rejects with `NotGranted` if no attempt succeeds in time. */
export async function withCentralTableLock<T>(
  pool: Pool,
  name: string,
  work: () => Promise<T>,
  options: LockTableOptions & PollOptions = {},
): Promise<T> {
  const attempt = async () => (await tryCentralTableLock(pool, name, options)) || null;
  await pollUntilGranted(name, attempt, options);
  return thenRelease(work, () => releaseCentralTableLock(pool, name, options));
}
