import {
  type Bindable,
  type GuardedWrite,
  InvalidGuard,
  planWrite,
  type UpdateOutcome,
  type UpsertOutcome,
} from './guarded-write';

/** Guarded writes for SQLite 3.24 and newer: the subpath `lockyard/guards/sqlite`. */

export type { Bindable, GuardedWrite, Stale, UpdateOutcome, UpsertOutcome } from './guarded-write';
export { InvalidGuard } from './guarded-write';

/** The methods used of a client or a transaction of `@libsql/client`. */
export interface AsyncSqlite {
  // biome-ignore lint/suspicious/noExplicitAny: drivers differ in what they bind.
  execute(statement: { sql: string; args: any }): Promise<{
    rowsAffected: number;
    rows: ArrayLike<ArrayLike<unknown>>;
  }>;
}

/** The methods used of a database of `better-sqlite3`, or of another driver with its API. */
export interface SyncSqlite {
  prepare(sql: string): {
    // biome-ignore lint/suspicious/noExplicitAny: drivers differ in what they bind.
    run(...values: any[]): { changes: number | bigint };
    // biome-ignore lint/suspicious/noExplicitAny: drivers differ in what they bind.
    get(...values: any[]): unknown;
  };
}

/**
 * Updates an existing row, unless it has seen a higher token: one UPDATE with the token in its
 * condition. If that changed nothing, a SELECT finds out why. Works on its own or in the caller's
 * transaction, which should roll back on `stale`: what it read before may be out of date.
 * Synchronous if the driver is.
 *
 * Throws, or rejects with, `InvalidGuard` and the driver's errors. A key that matches several rows
 * is refused after they were written: only a transaction undoes that.
 */
export function guardedUpdate(database: AsyncSqlite, write: GuardedWrite): Promise<UpdateOutcome>;
export function guardedUpdate(database: SyncSqlite, write: GuardedWrite): UpdateOutcome;
export function guardedUpdate(database: AsyncSqlite | SyncSqlite, write: GuardedWrite) {
  return execute(database, update(write));
}

/**
 * Updates a row or inserts it, unless it has seen a higher token: one INSERT … ON CONFLICT DO
 * UPDATE with the token in its condition. With an empty `set` it only raises the fence: do this
 * first in a transaction to keep stale holders out until it ends. `key` must be the primary key or
 * another unique key. Returns and throws as `guardedUpdate` does.
 */
export function guardedUpsert(database: AsyncSqlite, write: GuardedWrite): Promise<UpsertOutcome>;
export function guardedUpsert(database: SyncSqlite, write: GuardedWrite): UpsertOutcome;
export function guardedUpsert(database: AsyncSqlite | SyncSqlite, write: GuardedWrite) {
  return execute(database, upsert(write));
}

/** One statement. A write returns the number of changed rows; a read the fence, or null. */
interface Step {
  kind: 'write' | 'read';
  sql: string;
  values: Bindable[];
}

type Steps<O> = Generator<Step, O, number | null>;

/** Attempts before giving up: a row may come and go between two statements, but not this often. */
const ATTEMPTS_MAX = 5;

function* update(write: GuardedWrite): Steps<UpdateOutcome> {
  const { table, setColumns, setValues, keyColumns, keyValues, fence, token } = planWrite(write);
  const assigned = [...setColumns, fence].map((name) => `${name} = ?`).join(', ');
  const condition = `${allOf(keyColumns)} AND coalesce(${fence}, 0) <= ?`;
  const sql = `UPDATE ${table} SET ${assigned} WHERE ${condition}`;
  const values = [...setValues, token, ...keyValues, token];
  const read = readFence(table, fence, keyColumns, keyValues);
  for (let round = 0; round < ATTEMPTS_MAX; round++) {
    const changes = yield { kind: 'write', sql, values };
    if (Number(changes) > 1) throw new InvalidGuard(`The key named ${changes} rows, all written.`);
    if (changes === 1) return { outcome: 'applied' };
    const seenToken = yield read;
    if (seenToken === null) return { outcome: 'missing' };
    if (seenToken > token) return { outcome: 'stale', seenToken };
  }
  throw new Error('The guarded row is deleted and inserted concurrently; nothing was written.');
}

function* upsert(write: GuardedWrite): Steps<UpsertOutcome> {
  const { table, setColumns, setValues, keyColumns, keyValues, fence, token } = planWrite(write);
  const columns = [...keyColumns, ...setColumns, fence];
  const changes = [...setColumns, fence].map((name) => `${name} = excluded.${name}`).join(', ');
  const sql =
    `INSERT INTO ${table} AS present (${columns.join(', ')}) ` +
    `VALUES (${columns.map(() => '?').join(', ')}) ` +
    `ON CONFLICT (${keyColumns.join(', ')}) DO UPDATE SET ${changes} ` +
    `WHERE coalesce(present.${fence}, 0) <= excluded.${fence}`;
  const values = [...keyValues, ...setValues, token];
  const read = readFence(table, fence, keyColumns, keyValues);
  for (let round = 0; round < ATTEMPTS_MAX; round++) {
    if ((yield { kind: 'write', sql, values }) === 1) return { outcome: 'applied' };
    const seenToken = yield read;
    if (seenToken !== null && seenToken > token) return { outcome: 'stale', seenToken };
  }
  throw new Error('The guarded row is deleted and inserted concurrently; nothing was written.');
}

const allOf = (columns: string[]) => columns.map((name) => `${name} = ?`).join(' AND ');

function readFence(table: string, fence: string, keyColumns: string[], values: Bindable[]): Step {
  const sql = `SELECT coalesce(${fence}, 0) AS seen FROM ${table} WHERE ${allOf(keyColumns)}`;
  return { kind: 'read', sql, values };
}

function execute<O>(database: AsyncSqlite | SyncSqlite, steps: Steps<O>): O | Promise<O> {
  return 'prepare' in database ? executeSync(database, steps) : executeAsync(database, steps);
}

function executeSync<O>(database: SyncSqlite, steps: Steps<O>): O {
  for (let turn = steps.next(); ; ) {
    if (turn.done) return turn.value;
    const { kind, sql, values } = turn.value;
    const statement = database.prepare(sql);
    if (kind === 'write') {
      turn = steps.next(Number(statement.run(...values).changes));
    } else {
      const row = statement.get(...values) as { seen: number | bigint } | undefined;
      turn = steps.next(row ? Number(row.seen) : null);
    }
  }
}

async function executeAsync<O>(database: AsyncSqlite, steps: Steps<O>): Promise<O> {
  for (let turn = steps.next(); ; ) {
    if (turn.done) return turn.value;
    const { kind, sql, values } = turn.value;
    const { rowsAffected, rows } = await database.execute({ sql, args: values });
    turn = steps.next(kind === 'write' ? rowsAffected : rows[0] ? Number(rows[0][0]) : null);
  }
}
