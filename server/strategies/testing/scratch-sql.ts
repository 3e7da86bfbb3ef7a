import { createClient } from '@libsql/client';
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

export const openScratchSql: Record<SqlDialect, () => Promise<ScratchSql>> = {
  async mysql() {
    const scratch = await openScratchMysql();
    return { database: mysqlDatabase(scratch.pool()), close: scratch.close };
  },
  async sqlite() {
    const place = await newTestLocation('sqlite');
    if (place.url.kind !== 'sqlite') throw new Error('This is no SQLite.');
    const client = createClient({ url: `file:${place.url.path}` });
    await client.execute('pragma journal_mode = wal');
    return {
      database: sqliteDatabase(client),
      async close() {
        client.close();
        await place.remove();
      },
    };
  },
};
