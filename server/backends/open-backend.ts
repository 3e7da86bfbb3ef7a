import type { BackendUrl } from '../../db/backend-url';
import { migrate } from '../../db/migrate';
import { openDatabase } from '../../db/open-database';
import { openStore } from './open-store';
import type { HistorySource, RecordStore } from './record-store';

/**
 * Opens the store of a backend other than the control database, with its tables brought up to date. Closing the store
 * closes everything that was opened for it.
 *
 * Errors: `StartError` when it is absent.
 */
export async function openBackend(
  url: BackendUrl,
  wallClock: () => number,
): Promise<RecordStore & HistorySource> {
  const database = await openDatabase(url);
  try {
    await migrate(database);
    if (url.kind === 'mysql') {
      await database.close();
      return await openStore(url, null, wallClock);
    }
    const store = await openStore(url, database, wallClock);
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
