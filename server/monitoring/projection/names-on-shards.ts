import type { BackendHealth } from '../../contract/console/lock-row';
import type { ShardNamesInput, ShardsPage } from '../../contract/console/shard-row';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import type { LockProjection } from './lock-projection';
import { TopN } from './top-n';

/** What a shard keeps, as the board read it last. */
export interface StoredName {
  /** The shard's id. */
  storeId: string;
  key: RecordKey;
}

/** So many names are looked at between two looks at the clock. */
const NAMES_A_LOOK = 256;

/**
 * The shards of a backend, how many names each keeps, and some of these. Looks at every row once,
 * in slices.
 */
export async function namesOnShards(
  board: LockProjection,
  health: BackendHealth,
  { shard: only, search = '', after, limit }: ShardNamesInput,
): Promise<ShardsPage> {
  const shards = (health.shards ?? []).map((shard) => ({ ...shard, locks: 0, counters: 0 }));
  const byId = new Map(shards.map((shard) => [shard.id, shard]));
  const sought = search.toLowerCase();
  const first = new TopN<{ id: string; kept: StoredName }>(limit + 1, (a, b) =>
    a.id < b.id ? -1 : 1,
  );
  const slice = board.table.slice();
  let looked = 0;
  for (const kept of board.names()) {
    looked += 1;
    if (looked % NAMES_A_LOOK === 0 && slice.isOver) await slice.pause();
    const shard = byId.get(kept.storeId);
    if (!shard) continue;
    if (kept.key.kind === 'counter') shard.counters += 1;
    else shard.locks += 1;
    if (only !== undefined && shard.name !== only) continue;
    const id = recordId(kept.key);
    if (after !== undefined && id <= after) continue;
    const { namespace, name } = kept.key;
    if (sought && !`${namespace}/${name}`.toLowerCase().includes(sought)) continue;
    first.add({ id, kept });
  }
  const names = first.items.slice(0, limit).map(({ id, kept: { key, storeId } }) => ({
    id,
    kind: key.kind ?? ('lock' as const),
    namespace: key.namespace,
    name: key.name,
    shard: byId.get(storeId)?.name ?? '',
  }));
  const isWhole = first.items.length <= limit;
  return { backend: health, shards, names, next: isWhole ? null : (names.at(-1)?.id ?? null) };
}
