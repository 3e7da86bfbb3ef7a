/*
 * Strategy 3: named static locks (the form that the Quartz scheduler uses).
 *
 * A table with one column of names has one row for each kind of business object. `withRowLock`
 * begins a transaction, locks the row of that name, runs the callback, and commits; it rolls back
 * on any error, and returns the connection in every case. Without a name it runs the callback
 * without a lock, still in a transaction.
 *
 * Known limits: a lock for each kind of object, not for each object, so unrelated work waits. One
 * pooled connection for each caller, including those that wait for the row. No lease, no owner, not
 * reentrant: a caller that enters again takes a second connection and waits for itself. A session
 * that hangs in the callback stalls all others and logs nothing.
 *
 * Source: catalogue, section A, strategy 3; a write-up on the row locks of the Quartz scheduler.
 */
import type { Pool, PoolConnection, RowDataPacket } from 'mysql2/promise';
import { inTransaction } from '../in-transaction';
import { NotGranted } from '../not-granted';
import { type LockWaitOptions, withLockWait } from './lock-wait';

export interface RowLockOptions extends LockWaitOptions {
  /** Default `row_locks`. */
  table?: string;
}

/** Creates the table and those of the rows that it lacks. */
export async function createRowLockTable(pool: Pool, names: string[], table = 'row_locks') {
  // A binary collation, or "a" and "A" would be one lock.
  await pool.query(
    `CREATE TABLE IF NOT EXISTS ${table} (
       name VARCHAR(128) NOT NULL PRIMARY KEY
     ) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  );
  for (const name of names) {
    await pool.execute(
      `INSERT INTO ${table} (name) VALUES (?) ON DUPLICATE KEY UPDATE name = name`,
      [name],
    );
  }
}

/**
 * Runs the work in a transaction that holds the lock. Rejects with `NotGranted`, having run
 * nothing, if there is no row of that name, or it stays locked for `waitMs`.
 *
 * @param name null: in a transaction, without a lock
 */
export function withRowLock<T>(
  pool: Pool,
  name: string | null,
  work: (connection: PoolConnection) => Promise<T>,
  options: RowLockOptions = {},
): Promise<T> {
  return inTransaction(pool, async (connection) => {
    if (name !== null) await lockRow(connection, name, options);
    return work(connection);
  });
}

/** Locks a row until the connection's open transaction ends. */
export async function lockRow(
  connection: PoolConnection,
  name: string,
  { table = 'row_locks', ...wait }: RowLockOptions = {},
): Promise<void> {
  const [rows] = await withLockWait(
    connection,
    name,
    () =>
      connection.execute<RowDataPacket[]>(`SELECT name FROM ${table} WHERE name = ? FOR UPDATE`, [
        name,
      ]),
    wait,
  );
  if (rows.length === 0) throw new NotGranted(name, 'it has no row');
}
