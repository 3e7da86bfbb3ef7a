import { migrate } from '../../../db/migrate';
import { openDatabase } from '../../../db/open-database';
import type { Shard } from '../../../db/urls/shard-list';
import { MysqlStore } from '../mysql/mysql-store';
import type { EpochFence } from './epoch-fence';

/**
 * The store of one shard, with its tables migrated.
 *
 * @param callMaxMs how long one packet may take
 * @throws StartError if it is absent
 */
export async function openShard(
  { url }: Shard,
  fence: EpochFence,
  callMaxMs?: number,
): Promise<MysqlStore> {
  const database = await openDatabase({ kind: 'mysql', url });
  try {
    await migrate(database);
  } finally {
    await database.close();
  }
  return new MysqlStore(url, { callMaxMs, fence });
}
