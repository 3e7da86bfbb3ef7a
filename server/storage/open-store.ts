import { eq } from 'drizzle-orm';
import type { Database } from '../../db/database';
import { migrate } from '../../db/migrate';
import { openDatabase } from '../../db/open-database';
import type { DatabaseUrl } from '../../db/urls/backend-url';
import type { Clock } from '../platform/clock';
import { StartError } from '../platform/start-error';
import { MysqlStore } from './mysql/mysql-store';
import type { HistorySource, RecordStore } from './record-store';
import { continueHistoryAfter } from './recorded-position';
import { STAMP_ROW } from './sharding/epoch-fence';
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

/**
 * Opens a database other than the control database as a backend's store, with its tables migrated.
 * Closing the store closes everything that was opened for it.
 *
 * @param recordedOf reads up to which commit the store's history is recorded
 * @param prepare called with the migrated database, before the store is opened
 * @throws StartError if it is absent
 */
export async function openBackend(
  url: DatabaseUrl,
  clock: Clock,
  recordedOf = async () => 0,
  prepare: (own: Database) => Promise<void> = async () => undefined,
): Promise<RecordStore & HistorySource> {
  const database = await openDatabase(url);
  try {
    await migrate(database);
    if (url.kind === 'mysql') await refuseShardDatabase(database);
    await prepare(database);
    await database.raw.ask(continueHistoryAfter(await recordedOf(), clock.now()), []);
    if (url.kind === 'mysql') {
      await database.close();
      return await openStore(url, null, clock);
    }
    const store = await openStore(url, database, clock);
    const closeStore = store.close.bind(store);
    store.close = async () => {
      await closeStore();
      await database.close();
    };
    return store;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** A shard knows only part of a backend's names: as a whole backend it would grant twice. */
async function refuseShardDatabase({ db, tables: { settings } }: Database): Promise<void> {
  const [stamp] = await db.select().from(settings).where(eq(settings.id, STAMP_ROW));
  if (!stamp) return;
  throw new StartError('This database is one of several shards: it cannot be used by itself.');
}
