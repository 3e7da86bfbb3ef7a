import type { Connection, RowDataPacket } from 'mysql2/promise';
import { DATABASE_CLOCK, type Database } from './database';
import { CommitUnknown } from './database-failure';
import { acquireMigrationLock } from './migrate';
import { REFUSED_COMMITS } from './mysql/mysql-errors';
import { connectAlone } from './mysql/mysql-pool';
import { STRICT_MODE } from './mysql/own-session';
import type { Cell } from './snapshot';
import type { SqliteFile } from './sqlite/sqlite-file';

/** One transaction over the whole database, without a time limit. SQL must suit both dialects. */
export interface BulkChange {
  select(sql: string, args?: Cell[]): Promise<Record<string, unknown>[]>;
  run(sql: string, args?: Cell[]): Promise<void>;
  insert(table: string, columns: string[], rows: Cell[][]): Promise<void>;
  /** The database's clock; null on SQLite, which has none. */
  now(): Promise<number | null>;
}

/**
 * Runs `work` and commits, or changes nothing. Meanwhile no process can start over this database,
 * because it waits for its turn to migrate.
 *
 * @throws CommitUnknown when the database did not confirm the commit
 */
export async function changeInBulk<T>(
  database: Database,
  work: (change: BulkChange) => Promise<T>,
): Promise<T> {
  if (database.sqlite) return changeSqlite(database.sqlite, work);
  return changeMysql(database.mysqlUrl ?? '', work);
}

function changeSqlite<T>(file: SqliteFile, work: (change: BulkChange) => Promise<T>): Promise<T> {
  return file.write(async (client) => {
    const transaction = await client.transaction('write');
    try {
      const answer = await work({
        async select(sql, args = []) {
          const { rows } = await transaction.execute({ sql, args });
          return rows as unknown as Record<string, unknown>[];
        },
        async run(sql, args = []) {
          await transaction.execute({ sql, args });
        },
        async insert(table, columns, rows) {
          const placeholders = columns.map(() => '?').join(', ');
          const sql = `insert into ${table} (${columns.join(', ')}) values (${placeholders})`;
          await transaction.batch(rows.map((args) => ({ sql, args })));
        },
        now: async () => null,
      });
      await transaction.commit();
      return answer;
    } finally {
      transaction.close();
    }
  });
}

async function changeMysql<T>(url: string, work: (change: BulkChange) => Promise<T>): Promise<T> {
  const connection = await connectAlone(url);
  try {
    await acquireMigrationLock(connection);
    await connection.query(`set sql_mode = '${STRICT_MODE},NO_AUTO_VALUE_ON_ZERO'`);
    // Makes commits of other processes visible: a process that starts meanwhile must be seen.
    await connection.query('set session transaction isolation level read committed');
    await connection.beginTransaction();
    const answer = await work(mysqlChange(connection));
    await connection.commit().catch((cause) => {
      if (REFUSED_COMMITS.includes(cause.errno)) throw cause;
      throw new CommitUnknown('No answer to the commit.', { cause });
    });
    return answer;
  } finally {
    // Destroying the connection rolls back uncommitted work and ends the migration turn.
    connection.destroy();
  }
}

function mysqlChange(connection: Connection): BulkChange {
  const select = async (sql: string, args: Cell[] = []) => {
    const [rows] = await connection.query<RowDataPacket[]>(sql, args);
    return rows as Record<string, unknown>[];
  };
  return {
    select,
    async run(sql, args = []) {
      await connection.query(sql, args);
    },
    async insert(table, columns, rows) {
      const list = columns.map((column) => `\`${column}\``).join(', ');
      await connection.query(`insert into \`${table}\` (${list}) values ?`, [rows]);
    },
    async now() {
      return Number((await select(`select ${DATABASE_CLOCK.mysql} as now`))[0]?.now);
    },
  };
}
