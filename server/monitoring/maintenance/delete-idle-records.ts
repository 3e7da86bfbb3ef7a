import { IDLE_MS } from '../../core/deletion/deletion';
import { HOUR_MS } from '../../core/time-units';
import { OWN_NAMESPACE } from '../../engine/membership';
import type { ShouldContinue } from '../../platform/periodic';
import type { Cursor, ObsoleteRecord, ReadRecord } from '../../storage/record-store';
import type { TimeSlice } from '../lock-list/order/time-slice';
import { deleteReadRecords } from '../names/delete-records';
import type { LockProjection } from '../projection/lock-projection';
import type { MonitoredBackend } from '../projection/monitored-backend';

const DEAD_PROCESS_MS = HOUR_MS;
const SCAN_PAGE = 200;

/**
 * Deletes records that have long been free, and expired idempotency records. With millions this
 * takes minutes.
 *
 * @param projection the deleted records are removed from it
 * @param slice divides the work
 */
export async function deleteIdleRecords(
  backend: MonitoredBackend,
  projection: Pick<LockProjection, 'remove'>,
  slice: TimeSlice,
  shouldContinue: ShouldContinue,
): Promise<void> {
  const { store } = backend;
  let cursor: Cursor | null = { namespace: null, after: null };
  while (cursor) {
    if (!shouldContinue()) return;
    const page = await store.scan(cursor, SCAN_PAGE);
    const isOwn = ({ key }: ReadRecord) => key.namespace === OWN_NAMESPACE;
    const ended = page.records.filter(isOwn).flatMap(endedHeartbeat);
    if (ended.length > 0) await store.deleteRecords(ended);
    const others = page.records.filter((read) => !isOwn(read));
    const fates = await deleteReadRecords(backend, others, IDLE_MS);
    const deleted = fates.filter(({ outcome }) => outcome === 'deleted');
    projection.remove(
      backend,
      deleted.map(({ key }) => key),
    );
    cursor = page.next;
    if (slice.isOver) await slice.pause();
  }
  await store.deleteExpiredAnswers();
}

/** A heartbeat that ended long ago. Lockyard's own locks stay. */
function endedHeartbeat({ key, record, now }: ReadRecord): ObsoleteRecord[] {
  if (!record || !key.name.startsWith('process/')) return [];
  const { rev, writer, head } = record;
  return now - Number(head) > DEAD_PROCESS_MS ? [{ key, rev, writer }] : [];
}
