/*
 * Strategy 5: several row locks at once, such as real and virtual stock; all or none.
 *
 * One transaction locks the rows one after another, and every caller in the same sorted order: of
 * two callers that want a and b, the one that has a gets b too, so they cannot deadlock. If one of
 * the rows cannot be locked, the rollback frees those before it.
 *
 * Known limits: the first lock is kept while the caller waits for the last, so a caller may hold
 * what it cannot use yet. The order only helps if all callers take all their locks in one call: a
 * second call under the first may deadlock again. All rows are in one database. The limits of a
 * session's row lock apply (strategy 2).
 *
 * Source: catalogue, section A, strategy 5; left as an exercise by the write-up on stock deduction.
 */
import type { Pool, PoolConnection } from 'mysql2/promise';
import { inTransaction } from '../in-transaction';
import { lockRow, type RowLockOptions } from './with-row-lock';

/**
 * Runs the work in a transaction that holds all of the locks. Rejects with `NotGranted`, having run
 * nothing and holding nothing, if one has no row or stays locked for `waitMs`, which is the limit
 * of each wait and not of their sum.
 */
export function withRowLocks<T>(
  pool: Pool,
  names: readonly string[],
  work: (connection: PoolConnection) => Promise<T>,
  options: RowLockOptions = {},
): Promise<T> {
  // Any order will do if all callers share it. This one compares UTF-16 units, in every locale.
  const sorted = [...new Set(names)].sort();
  return inTransaction(pool, async (connection) => {
    for (const name of sorted) await lockRow(connection, name, options);
    return work(connection);
  });
}
