/*
 * Strategy 8: a lock table, version 3, with 100 segments.
 *
 * As strategy 7, but instead of one central row there are 100, `center_lock_00` to
 * `center_lock_99`; the last two digits of the name's crc32 select one. So up to 100 acquires and
 * releases proceed side by side. The statements on the record are those of strategy 7, repeated so
 * that this file can be read and copied alone.
 *
 * Known limits: two unrelated names in one segment wait for each other, and nothing shows it. No
 * owner: any caller can release, even one whose lease expired long ago, and then frees the lock of
 * its successor. No queue: the next holder is the caller with the first attempt. A paused holder
 * may still write after its deadline. Deadlines are set and judged on the database's clock; setting
 * that clock moves all of them.
 *
 * Source: catalogue, section B, strategy 8; a write-up on a lock table for MySQL, its third
 * version.
 */
import { crc32 } from 'node:zlib';
import type { Pool, PoolConnection, RowDataPacket } from 'mysql2/promise';
import { inTransaction } from '../in-transaction';
import { mysqlDatabase } from '../mysql-database';
import { type PollOptions, pollUntilGranted } from '../poll-until-granted';
import { thenRelease } from '../then-release';
import { createLockTable, type LockTableOptions, YEAR_LEASE_MS } from './lock-table';

const SEGMENTS = 100;

export interface SegmentedOptions extends LockTableOptions {
  /**
   * True, as the write-up has it: a release locks the segment first, as an acquire does. False: a
   * release is one plain update, which is as safe and never waits behind callers that poll, so that
   * this strategy competes at its best.
   */
  releasesUnderSegment?: boolean;
}

/** Creates the table and its 100 central rows. */
export async function createSegmentedLockTable(
  pool: Pool,
  table = 'segmented_locks',
): Promise<void> {
  await createLockTable(mysqlDatabase(pool), table);
  const rows = Array.from({ length: SEGMENTS }, (_, i) => [nameOfSegment(i)]);
  const values = "(?, 0, UTC_TIMESTAMP(6), '', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6), 0)";
  await pool.query(
    `INSERT INTO ${table} (name, count, deadline, description, create_time, modify_time, status)
     VALUES ${rows.map(() => values).join(', ')}
     ON DUPLICATE KEY UPDATE name = name`,
    rows.flat(),
  );
}

/** The central row that guards a lock's record. */
export function segmentOf(name: string): string {
  return nameOfSegment(crc32(name) % SEGMENTS);
}

const nameOfSegment = (i: number) => `center_lock_${String(i).padStart(2, '0')}`;

/** Tries once. False: it is held. */
export function trySegmentedTableLock(
  pool: Pool,
  name: string,
  { table = 'segmented_locks', leaseMs = YEAR_LEASE_MS, description = '' }: SegmentedOptions = {},
): Promise<boolean> {
  return underSegment(pool, table, name, async (connection) => {
    // A statement's time is that of its start: this one starts after the segment is locked.
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
export async function releaseSegmentedTableLock(
  pool: Pool,
  name: string,
  { table = 'segmented_locks', releasesUnderSegment = true }: SegmentedOptions = {},
): Promise<void> {
  const release = (on: Pool | PoolConnection) =>
    on.execute(`UPDATE ${table} SET status = 0, modify_time = UTC_TIMESTAMP(6) WHERE name = ?`, [
      name,
    ]);
  if (releasesUnderSegment) await underSegment(pool, table, name, release);
  else await release(pool);
}

function underSegment<T>(
  pool: Pool,
  table: string,
  name: string,
  work: (connection: PoolConnection) => Promise<T>,
): Promise<T> {
  return inTransaction(pool, async (connection) => {
    await connection.execute(`SELECT name FROM ${table} WHERE name = ? FOR UPDATE`, [
      segmentOf(name),
    ]);
    return work(connection);
  });
}

/** Runs the work under the lock. Rejects with `NotGranted` if no attempt succeeds in time. */
export async function withSegmentedTableLock<T>(
  pool: Pool,
  name: string,
  work: () => Promise<T>,
  options: SegmentedOptions & PollOptions = {},
): Promise<T> {
  const attempt = async () => (await trySegmentedTableLock(pool, name, options)) || null;
  await pollUntilGranted(name, attempt, options);
  return thenRelease(work, () => releaseSegmentedTableLock(pool, name, options));
}
