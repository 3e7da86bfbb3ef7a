import {
  type Bindable,
  type GuardedWrite,
  InvalidGuard,
  planWrite,
  type UpdateOutcome,
  type UpsertOutcome,
} from './guarded-write';

/** Guarded writes for MySQL 5.7 and newer, and MariaDB: the subpath `lockyard/guards/mysql`. */

export type { Bindable, GuardedWrite, Stale, UpdateOutcome, UpsertOutcome } from './guarded-write';
export { InvalidGuard } from './guarded-write';

/** The methods used of a `mysql2/promise` connection or pool. In a transaction: its connection. */
export interface MysqlConnection {
  // biome-ignore lint/suspicious/noExplicitAny: mysql2's declarations differ between its versions.
  execute(sql: string, values: any): Promise<[any, any]>;
}

/** Attempts before giving up: a row may come and go between two statements, but not this often. */
const ATTEMPTS_MAX = 5;

/**
 * Updates an existing row, unless it has seen a higher token: one UPDATE with the token in its
 * condition. If that changed nothing, a locking SELECT finds out why. Works on its own or in the
 * caller's transaction, which should roll back on `stale`: what it read before may be out of date.
 *
 * Rejects with `InvalidGuard`, and with the driver's errors. A key that matches several rows is
 * refused after they were written: only a transaction undoes that.
 */
export async function guardedUpdate(
  connection: MysqlConnection,
  write: GuardedWrite,
): Promise<UpdateOutcome> {
  const { table, keyColumns, keyValues, setColumns, setValues, fence, token } = planWrite(write);
  const assigned = [...setColumns, fence].map((name) => `${name} = ?`).join(', ');
  const where = keyColumns.map((name) => `${name} = ?`).join(' AND ');
  const update = `UPDATE ${table} SET ${assigned} WHERE ${where} AND COALESCE(${fence}, 0) <= ?`;
  const readFence = `SELECT ${fence} AS seen FROM ${table} WHERE ${where} FOR UPDATE`;
  for (let round = 1; ; round++) {
    const [{ affectedRows }] = await connection.execute(update, [
      ...setValues,
      token,
      ...keyValues,
      token,
    ]);
    if (affectedRows > 1)
      throw new InvalidGuard(`The key named ${affectedRows} rows, all written.`);
    if (affectedRows === 1) return { outcome: 'applied' };
    const [rows] = await connection.execute(readFence, keyValues);
    if (rows.length === 0) return { outcome: 'missing' };
    const seenToken = Number(rows[0].seen);
    if (seenToken > token) return { outcome: 'stale', seenToken };
    // Either the driver counts only rows whose values changed, or the row was inserted just now.
    if (round > 1 && seenToken === token) return { outcome: 'applied' };
    if (round === ATTEMPTS_MAX)
      throw new Error('The guarded row is deleted and inserted concurrently; nothing was written.');
  }
}

/**
 * Updates a row or inserts it, unless it has seen a higher token: one INSERT … ON DUPLICATE KEY
 * UPDATE with the token in its condition. With an empty `set` it only raises the fence: do this
 * first in a transaction to keep stale holders out until it ends.
 *
 * `key` must be the only unique key with which the row can collide. The outcome is passed in the
 * session's `LAST_INSERT_ID()`, so the table must have no AUTO_INCREMENT column. Rejects as
 * `guardedUpdate` does.
 */
export async function guardedUpsert(
  connection: MysqlConnection,
  write: GuardedWrite,
): Promise<UpsertOutcome> {
  const { table, keyColumns, keyValues, setColumns, setValues, fence, token } = planWrite(write);
  const columns = [...keyColumns, ...setColumns, fence];
  const isFresh = `COALESCE(${fence}, 0) <= ?`;
  // MySQL assigns from left to right: the fence is last, since the other assignments read it.
  const changes = setColumns.map((name) => `${name} = IF(${isFresh}, ?, ${name})`);
  const raise = `${fence} = LAST_INSERT_ID(GREATEST(COALESCE(${fence}, 0), ?))`;
  const upsert =
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')}) ` +
    `ON DUPLICATE KEY UPDATE ${[...changes, raise].join(', ')}`;
  const [{ insertId }] = await connection.execute(upsert, [
    ...keyValues,
    ...setValues,
    token,
    ...setValues.flatMap((value): Bindable[] => [token, value]),
    token,
  ]);
  const seenToken = Number(insertId);
  return seenToken > token ? { outcome: 'stale', seenToken } : { outcome: 'applied' };
}
