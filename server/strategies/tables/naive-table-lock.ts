/*
 * Strategy 6: a lock table, version 1, naive.
 *
 * One transaction selects the lock's record for update, and then updates it, or inserts it if there
 * is none. The lock is granted if its `status` is 0 or its `deadline` has passed. Callers that are
 * refused try again a little later.
 *
 * Known limits: it deadlocks. If the record is missing, InnoDB locks the gap between its
 * neighbours. Gap locks of two transactions do not exclude each other, but each excludes the
 * other's insert into the gap. So two callers that create neighbouring records, of one name or of
 * two, wait for each other until the database rolls one of them back. Once all records exist this
 * no longer happens. No owner: any caller can release, even one whose lease expired long ago. No
 * queue: the next holder is the caller with the first attempt.
 *
 * Source: catalogue, section B, strategy 6; a write-up on a lock table for MySQL, its first
 * version.
 */
import type { Pool, RowDataPacket } from 'mysql2/promise';
import { inTransaction } from '../in-transaction';
import { mysqlDatabase } from '../mysql-database';
import { type PollOptions, pollUntilGranted } from '../poll-until-granted';
import { thenRelease } from '../then-release';
import { createLockTable, type LockTableOptions, YEAR_LEASE_MS } from './lock-table';

export async function createNaiveLockTable(pool: Pool, table = 'naive_locks'): Promise<void> {
  await createLockTable(mysqlDatabase(pool), table);
}

/** Tries once. False: it is held. Rejects with the driver's error if it ends in a deadlock. */
export function tryNaiveTableLock(
  pool: Pool,
  name: string,
  { table = 'naive_locks', leaseMs = YEAR_LEASE_MS, description = '' }: LockTableOptions = {},
): Promise<boolean> {
  return inTransaction(pool, async (connection) => {
    const [rows] = await connection.execute<RowDataPacket[]>(
      `SELECT status = 0 OR deadline < UTC_TIMESTAMP(6) AS is_free
       FROM ${table} WHERE name = ? FOR UPDATE`,
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
export async function releaseNaiveTableLock(
  pool: Pool,
  name: string,
  { table = 'naive_locks' }: LockTableOptions = {},
): Promise<void> {
  await pool.execute(
    `UPDATE ${table} SET status = 0, modify_time = UTC_TIMESTAMP(6) WHERE name = ?`,
    [name],
  );
}

/** Runs the work under the lock. Rejects with `NotGranted` if no attempt succeeds in time. */
export async function withNaiveTableLock<T>(
  pool: Pool,
  name: string,
  work: () => Promise<T>,
  options: LockTableOptions & PollOptions = {},
): Promise<T> {
  const attempt = async () => (await tryNaiveTableLock(pool, name, options)) || null;
  await pollUntilGranted(name, attempt, options);
  return thenRelease(work, () => releaseNaiveTableLock(pool, name, options));
}
