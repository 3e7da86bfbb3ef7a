import type { Shard } from '@/db/shard-list';
import { StartError } from '@/db/start-error';
import { MysqlStore } from './backends/mysql-store';
import type { TwinBackends } from './twin-backends';

/**
 * Refuses a shard that is the database of another backend of this process by another name. Nothing
 * is written there. A shard that is away is not looked at; one that was never used has no such
 * twin.
 *
 * @throws StartError
 */
export async function refuseTwinShards(
  backend: string,
  shards: Shard[],
  twins: TwinBackends,
): Promise<void> {
  const found = await Promise.all(
    shards.map(async ({ url }) => {
      const store = new MysqlStore(url);
      try {
        return await twins.twinOf(store);
      } finally {
        await store.close();
      }
    }),
  );
  for (const [i, twin] of found.entries()) {
    if (twin === null) continue;
    const other = twin === 'default' ? 'the control database' : `the backend "${twin}"`;
    throw new StartError(
      `The shard ${shards[i]?.name} of the backend "${backend}" and ${other} are one store by two names. Leave one of them out.`,
    );
  }
}
