import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { drizzle as libsql } from 'drizzle-orm/libsql';
import { migrate as migrateLibsql } from 'drizzle-orm/libsql/migrator';
import { drizzle as mysql2 } from 'drizzle-orm/mysql2';
import { migrate as migrateMysql2 } from 'drizzle-orm/mysql2/migrator';
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise';
import type { Database } from './database';
import { connectionOptions } from './mysql-pool';
import { CASING } from './schema';
import type { SqliteFile } from './sqlite-file';
import { StartError } from './start-error';

/** How long a starting process waits for another one that is migrating, in seconds. */
const TURN_MAX_S = 60;

/** Brings the tables up to date. Any number of processes may do this at once over one MySQL: they take turns. */
export async function migrate(database: Database): Promise<void> {
  const migrationsFolder = resolve(process.cwd(), 'db/migrations', database.kind);
  try {
    if (database.sqlite) await migrateSqlite(database.sqlite, migrationsFolder);
    else if (database.mysqlUrl) await migrateMysql(database.mysqlUrl, migrationsFolder);
  } catch (cause) {
    if (cause instanceof StartError) throw cause;
    const why = cause instanceof Error ? cause.message.split('\n')[0] : String(cause);
    throw new StartError(`The control database could not be migrated: ${why}`, { cause });
  }
}

function migrateSqlite(file: SqliteFile, migrationsFolder: string): Promise<void> {
  return file.write((client) =>
    migrateLibsql(libsql({ client, casing: CASING }), { migrationsFolder }),
  );
}

async function migrateMysql(url: string, migrationsFolder: string): Promise<void> {
  const connection = await createConnection(connectionOptions(url));
  try {
    await takeTurn(connection, url);
    await migrateMysql2(mysql2({ client: connection, casing: CASING }), { migrationsFolder });
  } finally {
    // The turn ends with the connection.
    connection.destroy();
  }
}

/** Names of `GET_LOCK` belong to the whole server and are at most 64 characters long. */
async function takeTurn(connection: Connection, url: string): Promise<void> {
  const schema = createHash('sha256').update(new URL(url).pathname).digest('hex').slice(0, 16);
  const [rows] = await connection.query<RowDataPacket[]>('select get_lock(?, ?) as taken', [
    `lockyard.migrate.${schema}`,
    TURN_MAX_S,
  ]);
  if (rows[0]?.taken !== 1) {
    throw new StartError(
      `The control database is being migrated by another process for over ${TURN_MAX_S} s.`,
    );
  }
}
