import type { PoolConnection } from 'mysql2/promise';
import { isDeadlock, isLockWaitTimeout } from '../mysql-error';
import { NotGranted } from '../not-granted';
import type { RaceNote } from '../race-note';

export interface LockWaitOptions {
  /**
   * How long the statement waits for the row, rounded up to whole seconds. Default: the server's
   * `innodb_lock_wait_timeout`, which is 50 s unless it was changed. It does not limit how long a
   * caller waits for a connection of the pool.
   */
  waitMs?: number;
  note?: RaceNote;
}

/**
 * Runs a statement that locks rows. Rejects with `NotGranted` when the wait times out; the
 * transaction is still open then, with its earlier locks.
 */
export async function withLockWait<T>(
  connection: PoolConnection,
  lock: string,
  statement: () => Promise<T>,
  { waitMs, note }: LockWaitOptions,
): Promise<T> {
  try {
    if (waitMs === undefined) return await statement();
    const seconds = Math.max(1, Math.ceil(waitMs / 1_000));
    await connection.query('SET SESSION innodb_lock_wait_timeout = ?', [seconds]);
    try {
      return await statement();
    } finally {
      // The pool lends this connection to other callers later. An error of the reset must not
      // replace that of the statement.
      const reset = connection.query('SET SESSION innodb_lock_wait_timeout = DEFAULT');
      await reset.catch(() => connection.destroy());
    }
  } catch (error) {
    if (isDeadlock(error)) note?.('deadlock');
    if (!isLockWaitTimeout(error)) throw error;
    note?.('conflict');
    throw new NotGranted(lock, 'another session held its row for the whole wait');
  }
}
