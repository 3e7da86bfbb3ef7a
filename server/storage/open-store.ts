import type { Database } from '../../db/database';
import type { DatabaseUrl } from '../../db/urls/backend-url';
import type { Clock } from '../platform/clock';
import { MysqlStore } from './mysql/mysql-store';
import type { HistorySource, RecordStore } from './record-store';
import { SqliteStore } from './sqlite/sqlite-store';

/**
 * The store behind a database's URL. A MySQL store connects when first used, so it may be opened
 * while its server is down; an SQLite store is in the file of `database`.
 *
 * @param clock used by SQLite only; every other store has a clock of its own
 */
export async function openStore(
  url: DatabaseUrl,
  database: Database | null,
  clock: Clock,
): Promise<RecordStore & HistorySource> {
  if (url.kind === 'mysql') return new MysqlStore(url.url);
  if (!database?.sqlite) throw new Error('An SQLite store needs the database opened on its file.');
  return SqliteStore.open(database.sqlite, clock);
}
