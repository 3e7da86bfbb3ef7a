/*
 * Strategy 4: row locks over sharded data sources.
 *
 * N databases share the names: a stable hash of a lock's name selects its database, so that no
 * single database keeps all sessions. Every caller must have the same list, in the same order.
 * Within its database a lock is that of strategy 3.
 *
 * Known limits: changing N moves names, so two callers with different lists may both hold a lock,
 * each in another database; stop all of them to change the list. Work under the lock may write to
 * other databases, but is atomic only in the lock's own. While a database is down, its names cannot
 * be locked. The limits of a session's row lock apply (strategy 2).
 *
 * A hash that may be negative is a trap: the absolute value of the smallest 32-bit integer is
 * itself, still negative, and selects no database. Here the hash is unsigned from the start.
 *
 * Source: catalogue, section A, strategy 4; a write-up on stock deduction by MySQL row locks.
 */
import { crc32 } from 'node:zlib';
import type { Pool, PoolConnection } from 'mysql2/promise';
import { type RowLockOptions, withRowLock } from './with-row-lock';

/** The index of the database that has a name: 0 to `shards` - 1, the same for every caller. */
export function shardOf(name: string, shards: number): number {
  // The bytes of the name in UTF-8, as an unsigned 32-bit integer.
  return crc32(name) % shards;
}

/** As `withRowLock`, in the database that has the name. @param pools one for each database */
export function withShardedRowLock<T>(
  pools: readonly Pool[],
  name: string,
  work: (connection: PoolConnection) => Promise<T>,
  options: RowLockOptions = {},
): Promise<T> {
  const pool = pools[shardOf(name, pools.length)];
  if (!pool) throw new RangeError('There is no database to lock in.');
  return withRowLock(pool, name, work, options);
}
