import { rendezvousHash } from '@/server/core/rendezvous-hash';
import { recordId } from '@/server/storage/record-id';
import type { RecordKey } from '@/server/storage/record-store';

/** The shards of a sharded world, as in a list of shards. */
export const SHARD_NAMES = ['a', 'b'];

export const homeOf = rendezvousHash(SHARD_NAMES);

/** How far a shard's clock may be from all other clocks, one way or the other. */
export const SHARD_CLOCK_OFFSET_MAX_MS = 10_000;

const LOCKS_OF_EACH = 2;

/** Locks, the same number on each shard. */
export function keysOverShards(): RecordKey[] {
  const keys: RecordKey[] = [];
  const left = SHARD_NAMES.map(() => LOCKS_OF_EACH);
  for (let i = 0; keys.length < LOCKS_OF_EACH * SHARD_NAMES.length; i += 1) {
    const key = { namespace: 'default', name: `l${i}` };
    const home = homeOf(recordId(key));
    const room = left[home] ?? 0;
    if (room === 0) continue;
    left[home] = room - 1;
    keys.push(key);
  }
  return keys;
}
