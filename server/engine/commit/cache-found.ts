import { recordId } from '../../storage/record-id';
import type { RecordKey, StoredRecord } from '../../storage/record-store';
import type { EngineContext } from '../engine-context';
import { type AnyKnownRecord, recordTypeOf } from '../record-type';

/**
 * Caches a record that another process has changed, unless the cached one is at least as new. The
 * next command on it is then decided from the cache, which saves a read or a failed swap.
 *
 * Two conditions of a decision from the cache are checked here. First, the backend's clock as known
 * here is at least that of the reading: so nothing is cached for a store that only estimates its
 * clock. Second, every process with a waiter was alive when the heartbeats were last read: one that
 * was not may be alive by now, which a decision from the cache does not check.
 */
export function cacheFound(
  { cache, membership, store }: EngineContext,
  key: RecordKey,
  record: StoredRecord,
): void {
  const id = recordId(key);
  const cachedRev = cache.get(id)?.record.rev ?? 0;
  if (store.estimatesClock || record.rev <= cachedRev) return;
  const type = recordTypeOf(key);
  let known: AnyKnownRecord;
  try {
    known = type.decode(record);
  } catch {
    // The next command reads the record and reports the error to its caller.
    return;
  }
  if (type.processesIn(known.record).every(membership.wasAlive)) cache.entryOf(id).known = known;
}
