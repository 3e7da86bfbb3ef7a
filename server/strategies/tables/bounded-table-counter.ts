/*
 * Strategy 10: counters in the lock table that never pass their bounds.
 *
 * A counter is a record whose `count` is its value. A step is one UPDATE with the bound in its
 * WHERE clause: the database locks the row, compares and writes in one step, so that nothing can
 * happen between the check and the change. If no row matches, the step would have left the bounds,
 * and nothing was changed. It runs on MySQL, on MariaDB, and on embedded SQLite.
 *
 * Known limits: all steps of one counter queue for its row; a step within a longer transaction
 * keeps the row until that commits. No request id: a step whose answer was lost may be applied
 * twice if its caller repeats it, so it belongs in the transaction of what it counts. No history.
 * Values are whole numbers up to 2^53.
 *
 * Source: catalogue, section B, strategy 10; a write-up that compares locks in a database and in
 * Redis.
 */
import { type SqlSession, UTC_NOW } from '../sql-database';
import { createLockTable } from './lock-table';

/** Identifies a counter: a column with whole numbers, and a row. */
export interface CounterPlace {
  /** Default `counted_locks`. */
  table?: string;
  /** Default `count`. */
  column?: string;
  /** The values of columns that select its row, such as `{ name: 'prizes' }`. */
  key: Record<string, string | number>;
}

export interface Bounds {
  floor?: number;
  ceiling?: number;
}

/** Creates the table that counters share with locks. */
export async function createCounterTable(
  database: SqlSession,
  table = 'counted_locks',
): Promise<void> {
  await createLockTable(database, table);
}

/** Creates a counter. Rejects if there is already a record of this name. */
export async function createTableCounter(
  database: SqlSession,
  name: string,
  initial: number,
  table = 'counted_locks',
): Promise<void> {
  const now = UTC_NOW[database.dialect];
  await database.run(
    `INSERT INTO ${table} (name, count, deadline, description, create_time, modify_time, status)
     VALUES (?, ?, ${now}, '', ${now}, ${now}, 0)`,
    [name, initial],
  );
}

/**
 * Adds to a counter unless that leaves its bounds. A negative delta decrements.
 *
 * @param delta a whole number; a `RangeError` otherwise
 */
export async function addWithinBounds(
  session: SqlSession,
  { table = 'counted_locks', column = 'count', key }: CounterPlace,
  delta: number,
  { floor = -Number.MAX_SAFE_INTEGER, ceiling = Number.MAX_SAFE_INTEGER }: Bounds,
): Promise<'applied' | 'outOfBounds' | 'missing'> {
  if (!Number.isSafeInteger(delta)) throw new RangeError(`${delta} is not a whole number.`);
  const where = Object.keys(key).map((name) => `${name} = ?`);
  const changed = await session.run(
    `UPDATE ${table} SET ${column} = ${column} + ?
     WHERE ${where.join(' AND ')} AND ${column} BETWEEN ? AND ?`,
    [delta, ...Object.values(key), floor - delta, ceiling - delta],
  );
  if (changed > 0) return 'applied';
  const found = await session.rows(
    `SELECT ${column} FROM ${table} WHERE ${where.join(' AND ')}`,
    Object.values(key),
  );
  return found.length > 0 ? 'outOfBounds' : 'missing';
}
