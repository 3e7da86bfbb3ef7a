import type { Client } from '@libsql/client';
import { migrate as migrateLibsql } from 'drizzle-orm/libsql/migrator';
import { drizzle as libsql } from 'drizzle-orm/libsql/sqlite3';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import type { Connection, RowDataPacket } from 'mysql2/promise';
import { firstLine } from '../server/platform/first-line';
import { StartError } from '../server/platform/start-error';
import type { Database } from './database';
import { causes } from './database-failure';
import { applyMigrations, type NoteSlow } from './mysql/apply-migrations';
import { connectAlone } from './mysql/mysql-pool';
import { CASING } from './schema';
import { MIGRATIONS_TABLE, migrationsFolder, refuseNewerSchema } from './schema-version';
import type { SqliteFile } from './sqlite/sqlite-file';

/** How long a starting process waits for another one that is migrating, in seconds. */
const TURN_MAX_S = 60;

/**
 * Migrates the tables to this program's schema. Any number of processes may do this at the same
 * time over one MySQL: they take turns. A SQLite file has only one process.
 *
 * Rejects with `StartError`, also for a database of a newer program; then nothing was changed.
 *
 * @param noteSlow called on MySQL once a minute while a statement is not applied
 */
export async function migrate(database: Database, noteSlow?: NoteSlow): Promise<void> {
  try {
    if (database.sqlite) await migrateSqlite(database.sqlite);
    else if (database.mysqlUrl) await migrateMysql(database.mysqlUrl, noteSlow);
  } catch (cause) {
    if (cause instanceof StartError) throw cause;
    const why = causes(cause).at(-1);
    const advice = isDenied(why) ? ` ${GRANT}` : '';
    throw new StartError(`The database could not be migrated: ${firstLine(why)}.${advice}`, {
      cause,
    });
  }
}

/** Errors of MySQL and MariaDB for a privilege that the user lacks. */
const DENIED = [1044, 1142, 1143, 1227];
const GRANT =
  'Grant its user the rights for a first start: see docs/backends.md#mysql-and-mariadb.';

const isDenied = (error: unknown) =>
  DENIED.includes((error as { errno?: number } | undefined)?.errno ?? 0);

function migrateSqlite(file: SqliteFile): Promise<void> {
  return file.write(async (client) => {
    refuseNewerSchema('sqlite', await appliedToSqlite(client));
    const folder = { migrationsFolder: migrationsFolder('sqlite') };
    await migrateLibsql(libsql({ client, casing: CASING }), folder);
  });
}

async function migrateMysql(url: string, noteSlow?: NoteSlow): Promise<void> {
  const connection = await connectAlone(url);
  try {
    await acquireMigrationLock(connection);
    const applied = await appliedToMysql(connection);
    refuseNewerSchema('mysql', applied);
    const all = readMigrationFiles({ migrationsFolder: migrationsFolder('mysql') });
    const pending = all.filter(({ folderMillis }) => !applied.includes(folderMillis));
    // Applying first creates tables of its own, with a privilege that is not needed once all
    // migrations are applied.
    if (pending.length > 0) await applyMigrations(connection, pending, noteSlow);
  } finally {
    // The turn ends with the connection.
    connection.destroy();
  }
}

/** The migrations applied to a file; none for a new one. */
export async function appliedToSqlite(client: Pick<Client, 'execute'>): Promise<number[]> {
  const table = await client.execute({
    sql: 'select name from sqlite_master where name = ?',
    args: [MIGRATIONS_TABLE],
  });
  if (table.rows.length === 0) return [];
  const { rows } = await client.execute(`select created_at as applied from ${MIGRATIONS_TABLE}`);
  return rows.map(({ applied }) => Number(applied));
}

/** The migrations applied to a database; none for a new one. */
export async function appliedToMysql(connection: Connection): Promise<number[]> {
  const [tables] = await connection.query<RowDataPacket[]>(
    'select 1 from information_schema.tables where table_schema = database() and table_name = ?',
    [MIGRATIONS_TABLE],
  );
  if (tables.length === 0) return [];
  const [rows] = await connection.query<RowDataPacket[]>(
    `select created_at as applied from ${MIGRATIONS_TABLE}`,
  );
  return rows.map(({ applied }) => Number(applied));
}

/**
 * The name of the lock on migrating the connection's database. Names of `GET_LOCK` are shared by
 * the whole server and at most 64 characters long.
 */
const MIGRATION_LOCK = "concat('lockyard.migrate.', left(sha2(concat('/', database()), 256), 16))";

/** Waits until no other process migrates this database; the turn ends with the connection. */
export async function acquireMigrationLock(connection: Connection): Promise<void> {
  const [rows] = await connection.query<RowDataPacket[]>(
    `select get_lock(${MIGRATION_LOCK}, ?) as taken`,
    [TURN_MAX_S],
  );
  if (rows[0]?.taken !== 1) {
    throw new StartError(
      `Another process has been migrating the control database for over ${TURN_MAX_S} s.`,
    );
  }
}
