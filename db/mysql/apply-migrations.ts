import { setTimeout } from 'node:timers/promises';
import type { MigrationMeta } from 'drizzle-orm/migrator';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { MIGRATIONS_TABLE } from '../schema-version';
import { LOCK_WAIT_TIMEOUT } from './mysql-errors';

/** The table with the progress of a migration that is not completely applied yet. */
const PROGRESS_TABLE = '__lockyard_migration_progress';

/** Errors for a table, a column, a key or an index that already exists, or is already gone. */
const DONE_ALREADY = new Set([1050, 1051, 1060, 1061, 1091]);

/**
 * A statement that waits for a table makes all later ones of any process wait behind it, so each
 * attempt waits for a short time only.
 */
const WAIT_S = 1;
const PAUSE_MS = 1_000;
const WAITS_MAX_MS = 50_000;

/** A change of a large table may take hours: it is not aborted, but reported this often. */
const SLOW_MS = 60_000;

/** Receives a statement that is not applied yet, and for how long it has been tried. */
export type NoteSlow = (statement: string, sinceMs: number) => void;

/**
 * Applies migrations to a MySQL database, in their order. MySQL commits every change of a table on
 * its own, so a process that dies leaves a migration partly applied. A table records which
 * statement is about to be applied, and the next process continues with that one; only that
 * statement may find its work already done.
 *
 * @param connection holds the migration lock: see `acquireMigrationLock`
 */
export async function applyMigrations(
  connection: Connection,
  migrations: MigrationMeta[],
  noteSlow: NoteSlow = () => undefined,
  slowMs = SLOW_MS,
): Promise<void> {
  await connection.query(`set lock_wait_timeout = ${WAIT_S}, default_storage_engine = InnoDB`);
  await createTables(connection);
  for (const { folderMillis: migration, hash, sql } of migrations) {
    const earlier = await progressOf(connection, migration);
    for (const [index, statement] of sql.entries()) {
      if (index < earlier.statements) continue;
      await recordProgress(connection, migration, { statements: index, isTrying: true });
      const mayBeDone = earlier.isTrying && index === earlier.statements;
      const refusal = await reportingSlowness(statement, noteSlow, slowMs, () =>
        refusalOf(connection, statement, mayBeDone),
      );
      if (refusal === null) continue;
      // A statement that was refused was not applied now; an earlier process may have applied it.
      await recordProgress(connection, migration, { statements: index, isTrying: mayBeDone });
      throw refusal;
    }
    await finish(connection, migration, hash);
  }
}

async function reportingSlowness<T>(
  statement: string,
  noteSlow: NoteSlow,
  slowMs: number,
  work: () => Promise<T>,
): Promise<T> {
  const since = performance.now();
  const note = () => noteSlow(statement, Math.round(performance.now() - since));
  const noting = setInterval(note, slowMs);
  try {
    return await work();
  } finally {
    clearInterval(noting);
  }
}

interface Progress {
  /** How many statements are certainly applied. */
  statements: number;
  /** Whether the next one may be applied too. */
  isTrying: boolean;
}

/** The first is as Drizzle's migrator, which older versions of this program use, creates it. */
async function createTables(connection: Connection): Promise<void> {
  await connection.query(
    `create table if not exists ${MIGRATIONS_TABLE} ` +
      '(id serial primary key, hash text not null, created_at bigint)',
  );
  await connection.query(
    `create table if not exists ${PROGRESS_TABLE} ` +
      '(migration bigint primary key, statements int not null, is_trying boolean not null) ' +
      'engine = InnoDB',
  );
}

async function progressOf(connection: Connection, migration: number): Promise<Progress> {
  const [rows] = await connection.query<RowDataPacket[]>(
    `select statements, is_trying from ${PROGRESS_TABLE} where migration = ?`,
    [migration],
  );
  const [row] = rows;
  return { statements: Number(row?.statements ?? 0), isTrying: Number(row?.is_trying ?? 0) === 1 };
}

async function recordProgress(
  connection: Connection,
  migration: number,
  { statements, isTrying }: Progress,
): Promise<void> {
  await connection.query(`replace into ${PROGRESS_TABLE} values (?, ?, ?)`, [
    migration,
    statements,
    isTrying,
  ]);
}

/** Null: it is applied. Throws errors that are not the server's, such as a lost connection. */
async function refusalOf(
  connection: Connection,
  statement: string,
  mayBeDone: boolean,
): Promise<Error | null> {
  const giveUpAt = performance.now() + WAITS_MAX_MS;
  for (;;) {
    try {
      await connection.query(statement);
      return null;
    } catch (error) {
      const { errno, sqlState } = error as { errno?: number; sqlState?: string };
      if (errno === undefined || sqlState === undefined) throw error;
      if (mayBeDone && DONE_ALREADY.has(errno)) return null;
      if (errno !== LOCK_WAIT_TIMEOUT) return error as Error;
      if (performance.now() >= giveUpAt) return new Error(`${IN_USE}: ${statement}`);
    }
    await setTimeout(PAUSE_MS);
  }
}

const IN_USE = 'another transaction, such as that of a backup, is using a table';

async function finish(connection: Connection, migration: number, hash: string): Promise<void> {
  await connection.query('start transaction');
  await connection.query(`insert into ${MIGRATIONS_TABLE} (hash, created_at) values (?, ?)`, [
    hash,
    migration,
  ]);
  await connection.query(`delete from ${PROGRESS_TABLE} where migration = ?`, [migration]);
  await connection.query('commit');
}
