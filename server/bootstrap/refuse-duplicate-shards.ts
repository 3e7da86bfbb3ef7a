import type { Shard } from '@/db/urls/shard-list';
import { StartError } from '@/server/platform/start-error';
import { MysqlStore } from '../storage/mysql/mysql-store';
import type { DuplicateStores } from './duplicate-stores';

/**
 * Refuses a shard whose database is also that of another backend of this process, under another
 * name. Writes nothing. A shard that is down is not checked; one that was never used cannot be a
 * duplicate.
 *
 * @throws StartError
 */
export async function refuseDuplicateShards(
  backend: string,
  shards: Shard[],
  duplicates: DuplicateStores,
): Promise<void> {
  const found = await Promise.all(
    shards.map(async ({ url }) => {
      const store = new MysqlStore(url);
      try {
        return await duplicates.duplicateOf(store);
      } finally {
        await store.close();
      }
    }),
  );
  for (const [i, twin] of found.entries()) {
    if (twin === null) continue;
    const other = twin === 'default' ? 'the control database' : `the backend "${twin}"`;
    throw new StartError(
      `The shard ${shards[i]?.name} of the backend "${backend}" and ${other} are the same store under two names. Remove one of them.`,
    );
  }
}
