import type { BackendHealth } from '../../contract/console/backend-health';
import type { ShardNamesInput, ShardsPage } from '../../contract/console/shard-row';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import type { LockProjection } from './lock-projection';
import { TopN } from './top-n';

/** A name that a shard keeps, as last read. */
export interface StoredName {
  /** The shard's id. */
  storeId: string;
  key: RecordKey;
}

/** A backend's shards, how many names each keeps, and a page of these. Reads all rows in slices. */
export async function namesOnShards(
  projection: LockProjection,
  health: BackendHealth,
  { shard: only, search = '', after, limit }: ShardNamesInput,
): Promise<ShardsPage> {
  const shards = (health.shards ?? []).map((shard) => ({ ...shard, locks: 0, counters: 0 }));
  const byId = new Map(shards.map((shard) => [shard.id, shard]));
  const sought = search.toLowerCase();
  const first = new TopN<{ id: string; stored: StoredName }>(limit + 1, (a, b) =>
    a.id < b.id ? -1 : 1,
  );
  await projection.table.slice().forEach(projection.names(), (stored) => {
    const shard = byId.get(stored.storeId);
    if (!shard) return;
    if (stored.key.kind === 'counter') shard.counters += 1;
    else shard.locks += 1;
    if (only !== undefined && shard.name !== only) return;
    const id = recordId(stored.key);
    if (after !== undefined && id <= after) return;
    const { namespace, name } = stored.key;
    if (sought && !`${namespace}/${name}`.toLowerCase().includes(sought)) return;
    first.add({ id, stored });
  });
  const names = first.items.slice(0, limit).map(({ id, stored: { key, storeId } }) => ({
    id,
    kind: key.kind ?? ('lock' as const),
    namespace: key.namespace,
    name: key.name,
    shard: byId.get(storeId)?.name ?? '',
  }));
  const isWhole = first.items.length <= limit;
  return { backend: health, shards, names, next: isWhole ? null : (names.at(-1)?.id ?? null) };
}
