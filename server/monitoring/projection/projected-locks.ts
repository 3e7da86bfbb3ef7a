import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import { counterRowId } from './counter-projection';
import type { LockProjection, MonitoredBackend } from './lock-projection';
import { type ProjectionRow, rowId } from './projection-row';
import { publicId } from './shard-info';

/** Every lock as the board read it last. */
export function projectedLocks(projection: Pick<LockProjection, 'table'>): Iterable<ProjectionRow> {
  return projection.table.all();
}

/**
 * Takes records off the board that were deleted: that leaves no history by which it would learn of
 * it.
 */
export function removeFromProjection(
  projection: LockProjection,
  backend: MonitoredBackend,
  keys: RecordKey[],
): void {
  for (const key of keys) {
    if (key.kind === 'counter')
      projection.counters.table.remove(counterRowId(publicId(backend), key));
    else projection.remove(rowId(publicId(backend), recordId(key)));
  }
  if (keys.length > 0) projection.notify();
}

/**
 * Whether a backend has been read, with all of its shards.
 *
 * @param id as people and programs know it
 */
export function isBackendRead(
  projection: Pick<LockProjection, 'readAt'>,
  backends: MonitoredBackend[],
  id: string,
): boolean {
  const parts = backends.filter((backend) => publicId(backend) === id);
  return parts.length > 0 && parts.every((part) => projection.readAt.has(part.id));
}
