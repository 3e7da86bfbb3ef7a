import { z } from 'zod';
import { lockName, namespaceName } from '../primitives';
import type { BackendHealth, ShardHealth } from './backend-health';

/** The shards to show, and a page of their names. */
export const shardNamesInput = z.strictObject({
  backend: z.string().max(32),
  /** The name of one shard; absent: all shards. */
  shard: z.string().max(300).optional(),
  /** Part of a namespace or a name. */
  search: z.string().max(200).optional(),
  /** Names after this one, from a page's `next`. */
  after: z.string().max(300).optional(),
  limit: z.number().int().min(1).max(200).default(50),
});
export type ShardNamesInput = z.output<typeof shardNamesInput>;

export const shardHomeInput = z.strictObject({
  backend: z.string().max(32),
  namespace: namespaceName,
  name: lockName,
});
export type ShardHomeInput = z.output<typeof shardHomeInput>;

/** The databases of a sharded backend. */
export interface ShardsPage {
  backend: BackendHealth;
  shards: (ShardHealth & { locks: number; counters: number })[];
  /** Sorted by namespace, counters before locks, then by name. */
  names: ShardedName[];
  /** The cursor of the next page; null at the end. */
  next: string | null;
}

/** A name and its shard. */
export interface ShardedName {
  /** Stable and unique; also the cursor of paging. */
  id: string;
  kind: 'lock' | 'counter';
  namespace: string;
  name: string;
  shard: string;
}

/** The shards of a name's lock and counter, whether or not these exist. */
export interface ShardHome {
  lock: string;
  counter: string;
}
