import {
  counterDeletion,
  type Deletion,
  lastUsedAt,
  lockDeletion,
  type RetentionReason,
} from '../../core/deletion/deletion';
import { decodeCounter } from '../../storage/codec/counter-codec';
import { decodeRecord } from '../../storage/codec/record-codec';
import type { ObsoleteRecord, ReadRecord, RecordKey } from '../../storage/record-store';
import type { MonitoredBackend } from '../projection/monitored-backend';

/** The most records read or deleted in one step of the store, for which others must wait. */
const AT_ONCE = 200;

/** The outcome for one record. `changed`: used meanwhile, so kept; `gone`: it did not exist. */
export type DeletionOutcome =
  | { key: RecordKey; outcome: 'deleted'; rev: number }
  | { key: RecordKey; outcome: 'kept'; because: RetentionReason }
  | { key: RecordKey; outcome: 'changed' | 'gone' };

/**
 * Deletes those records of one backend that nothing keeps, as `lockDeletion` decides. Each is read
 * and evaluated, and then deleted in one step, if it is unchanged and the store's clock has reached
 * its `notBefore`. Returns the outcome for each, in order.
 *
 * @param idleMs for how long a lock must not have been held; 0 for a deletion by an operator
 * @throws StoreError if the backend does not answer; records of earlier steps may be deleted
 */
export async function deleteRecords(
  backend: Pick<MonitoredBackend, 'store' | 'epochOf'>,
  keys: RecordKey[],
  idleMs: number,
): Promise<DeletionOutcome[]> {
  const outcomes: DeletionOutcome[] = [];
  for (let i = 0; i < keys.length; i += AT_ONCE) {
    const { records } = await backend.store.read(keys.slice(i, i + AT_ONCE), []);
    outcomes.push(...(await deleteReadRecords(backend, records, idleMs)));
  }
  return outcomes;
}

/** Why each record must be kept now; null: it need not. Records that do not exist are left out. */
export async function evaluateRecords(
  { store, epochOf }: Pick<MonitoredBackend, 'store' | 'epochOf'>,
  keys: RecordKey[],
): Promise<{ key: RecordKey; keptBecause: RetentionReason | null }[]> {
  const { records } = await store.read(keys, []);
  return records.flatMap((read) =>
    read.record
      ? [{ key: read.key, keptBecause: evaluateDeletion(read, epochOf(), 0).keptBecause }]
      : [],
  );
}

/** Deletes records that were just read: see `deleteRecords`. */
export async function deleteReadRecords(
  { store, epochOf }: Pick<MonitoredBackend, 'store' | 'epochOf'>,
  reads: ReadRecord[],
  idleMs: number,
): Promise<DeletionOutcome[]> {
  const epoch = epochOf();
  const obsolete: ObsoleteRecord[] = [];
  const outcomes = reads.map((read): DeletionOutcome => {
    const { key, record, now } = read;
    if (!record) return { key, outcome: 'gone' };
    const { keptBecause, notBefore } = evaluateDeletion(read, epoch, idleMs);
    if (keptBecause) return { key, outcome: 'kept', because: keptBecause };
    const { rev, writer } = record;
    if (notBefore > now) return { key, outcome: 'changed' };
    obsolete.push({ key, rev, writer, notBefore });
    return { key, outcome: 'deleted', rev };
  });
  const isGone = obsolete.length > 0 ? await store.deleteRecords(obsolete) : [];
  let asked = 0;
  return outcomes.map((fate) => {
    if (fate.outcome !== 'deleted') return fate;
    const { key } = fate;
    return isGone[asked++] ? fate : { key, outcome: 'changed' };
  });
}

/** A record that cannot be read may be in use. A counter is never idle: its value must stay. */
function evaluateDeletion(
  { key, record, now }: ReadRecord,
  epoch: number,
  idleMs: number,
): Deletion {
  try {
    if (!record) throw new Error('There is no record.');
    if (key.kind === 'counter') {
      const kept = counterDeletion(decodeCounter(record).record, now);
      return idleMs === 0 ? kept : { ...kept, notBefore: Number.POSITIVE_INFINITY };
    }
    const lock = decodeRecord(record).record;
    const { keptBecause, notBefore } = lockDeletion(lock, epoch, now);
    return { keptBecause, notBefore: Math.max(notBefore, lastUsedAt(lock) + idleMs) };
  } catch {
    return { keptBecause: 'unreadable', notBefore: Number.POSITIVE_INFINITY };
  }
}
