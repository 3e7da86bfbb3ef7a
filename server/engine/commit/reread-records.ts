import { recordId } from '../../storage/record-id';
import type { ReadRecord, RecordKey } from '../../storage/record-store';
import type { EngineContext } from '../engine-context';
import { type AnyKnownRecord, recordTypeOf } from '../record-type';
import { readOnce } from './read-records';

/**
 * Reads records that another process has changed, and caches them: the next command on one of them
 * proposes its change from it, which costs neither a read nor a swap that fails.
 *
 * What a command from the cache relies on holds for them too. The backend's clock, as known here,
 * is at least that of the reading; so nothing is cached over a store that only estimates it. Every
 * process that waits for the lock was alive when last read: one that was not may be by now, which
 * is not looked up again.
 *
 * @throws StoreError
 */
export async function rereadRecords(
  context: EngineContext,
  keys: RecordKey[],
): Promise<ReadRecord[]> {
  const { records } = await readOnce(context, keys, []);
  if (!context.store.estimatesClock) for (const read of records) cacheRead(context, read);
  return records;
}

/** Caches a reading, unless a command has read or written as new a record meanwhile. */
function cacheRead({ cache, membership }: EngineContext, { key, record }: ReadRecord): void {
  const id = recordId(key);
  const cachedRev = cache.get(id)?.record.rev ?? 0;
  if (!record || record.rev <= cachedRev) return;
  const type = recordTypeOf(key);
  let known: AnyKnownRecord;
  try {
    known = type.decode(record);
  } catch {
    // The next command on it reads it, and says so to its caller.
    return;
  }
  if (type.processesIn(known.record).every(membership.wasAlive)) cache.entryOf(id).known = known;
}
