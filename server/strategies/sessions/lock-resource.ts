/*
 * Strategy 1: a lock resource by unique key.
 *
 * Each thing to be locked gets a row of its own: its `transaction_id` is built from business
 * fields, such as warehouse, barcode and sales model, and is unique. Creating the row twice is not
 * an error: a duplicate key means "it exists". A caller creates the row, and then locks it in a
 * transaction, as strategy 2 does.
 *
 * Known limits: rows are never removed, so the table grows with every combination of fields ever
 * locked. The insert of a row that exists and is locked waits for that lock, as the lock after it
 * does. The insert commits on its own: inside a transaction, a duplicate key leaves a shared lock
 * on the row, and two callers that then ask for the exclusive lock deadlock. The limits of a
 * session's row lock apply (strategy 2).
 *
 * Source: catalogue, section A, strategy 1; a write-up on stock deduction by MySQL row locks.
 */
import type { Pool, PoolConnection, RowDataPacket } from 'mysql2/promise';
import { inTransaction } from '../in-transaction';
import { isDuplicateKey } from '../mysql-error';
import { NotGranted } from '../not-granted';
import { type LockWaitOptions, withLockWait } from './lock-wait';

const ID_MAX = 128;

export interface LockResourceOptions extends LockWaitOptions {
  /** Default `lock_resources`. */
  table?: string;
}

export async function createLockResourceTable(pool: Pool, table = 'lock_resources') {
  // A binary collation, or "a" and "A" would be one lock.
  await pool.query(
    `CREATE TABLE IF NOT EXISTS ${table} (
       transaction_id VARCHAR(128) NOT NULL PRIMARY KEY
     ) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin`,
  );
}

/**
 * The id of a resource. Different fields give different ids: a separator within a field is escaped.
 * Throws `RangeError` for an id longer than the column, rather than truncate it.
 */
export function transactionId(...fields: string[]): string {
  const id = fields.map((field) => field.replace(/[%:]/g, encodeURIComponent)).join(':');
  if (id.length > ID_MAX) throw new RangeError(`${id} is longer than ${ID_MAX} characters.`);
  return id;
}

/**
 * Creates the resource unless it exists. If it does, and is locked, the insert waits for that lock:
 * rejects with `NotGranted` if the row stays locked for `waitMs`.
 */
export async function createLockResource(
  pool: Pool,
  id: string,
  { table = 'lock_resources', ...wait }: LockResourceOptions = {},
): Promise<'created' | 'exists'> {
  const connection = await pool.getConnection();
  try {
    await withLockWait(
      connection,
      id,
      () => connection.execute(`INSERT INTO ${table} (transaction_id) VALUES (?)`, [id]),
      wait,
    );
    return 'created';
  } catch (error) {
    if (isDuplicateKey(error)) return 'exists';
    throw error;
  } finally {
    connection.release();
  }
}

/**
 * Creates the resource unless it exists, and runs the work in the transaction that locks it.
 * Rejects with `NotGranted` if the row stays locked for `waitMs`, which is the limit of each of
 * these two waits.
 */
export async function withLockResource<T>(
  pool: Pool,
  id: string,
  work: (connection: PoolConnection) => Promise<T>,
  { table = 'lock_resources', ...wait }: LockResourceOptions = {},
): Promise<T> {
  await createLockResource(pool, id, { table, ...wait });
  return inTransaction(pool, async (connection) => {
    const [rows] = await withLockWait(
      connection,
      id,
      () =>
        connection.execute<RowDataPacket[]>(
          `SELECT transaction_id FROM ${table} WHERE transaction_id = ? FOR UPDATE`,
          [id],
        ),
      wait,
    );
    if (rows.length === 0) throw new NotGranted(id, 'its row was deleted');
    return work(connection);
  });
}
