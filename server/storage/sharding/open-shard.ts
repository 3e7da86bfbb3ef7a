import { migrate } from '../../../db/migrate';
import { openDatabase } from '../../../db/open-database';
import type { Shard } from '../../../db/urls/shard-list';
import { MysqlStore } from '../mysql/mysql-store';
import type { EpochFence } from './epoch-fence';

/** How long one packet may take while records are moved: it is larger than one of an engine. */
const MOVE_TIMEOUT_MS = 10_000;

/**
 * The store of one shard, with its tables migrated.
 *
 * @param fence null only for moving records, while the backend serves no caller
 * @throws StartError if it is absent
 */
export async function openShard({ url }: Shard, fence: EpochFence | null): Promise<MysqlStore> {
  const database = await openDatabase({ kind: 'mysql', url });
  try {
    await migrate(database);
  } finally {
    await database.close();
  }
  return new MysqlStore(url, fence ? undefined : MOVE_TIMEOUT_MS, fence);
}
