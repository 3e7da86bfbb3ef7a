import { recordId } from '../../storage/record-id';
import type { RecordKey, StoredRecord } from '../../storage/record-store';
import type { EngineContext } from '../engine-context';
import { type AnyKnownRecord, recordTypeOf } from '../record-type';

/**
 * Caches a record that another process has changed: the next command on it proposes its change from
 * it, which costs neither a read nor a swap that fails. Not if a command has read or written one as
 * new meanwhile.
 *
 * What a command from the cache relies on holds for it too. The backend's clock, as known here, is
 * at least that of the reading; so nothing is cached over a store that only estimates it. Every
 * process that waits for the lock was alive when last read: one that was not may be by now, which
 * is not looked up again.
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
    // The next command on it reads it, and says so to its caller.
    return;
  }
  if (type.processesIn(known.record).every(membership.wasAlive)) cache.entryOf(id).known = known;
}
