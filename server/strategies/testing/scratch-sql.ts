import { type Client, createClient } from '@libsql/client';
import { newTestLocation } from '@/db/testing/test-database';
import { mysqlDatabase } from '../mysql-database';
import type { SqlDatabase, SqlDialect } from '../sql-database';
import { sqliteDatabase } from '../sqlite-database';
import { openScratchMysql } from './scratch-mysql';

/** An empty database of its own; `close` removes it. */
export interface ScratchSql {
  database: SqlDatabase;
  close(): Promise<void>;
}

/** An SQLite database whose file another client can open, as another process would. */
export interface ScratchSqlite extends ScratchSql {
  anotherClient(): Client;
}

export const openScratchSql = {
  async mysql(): Promise<ScratchSql> {
    const scratch = await openScratchMysql();
    return { database: mysqlDatabase(scratch.pool()), close: scratch.close };
  },
  async sqlite(): Promise<ScratchSqlite> {
    const place = await newTestLocation('sqlite');
    if (place.url.kind !== 'sqlite') throw new Error('This is no SQLite.');
    const url = `file:${place.url.path}`;
    const client = createClient({ url });
    await client.execute('pragma journal_mode = wal');
    return {
      database: sqliteDatabase(client),
      anotherClient: () => createClient({ url }),
      async close() {
        client.close();
        await place.remove();
      },
    };
  },
} satisfies Record<SqlDialect, () => Promise<ScratchSql>>;
