import {
  counterDeletion,
  type Deletion,
  type KeptBecause,
  lastUsedAt,
  lockDeletion,
} from '../../core/names/deletion';
import { decodeCounter } from '../../storage/codec/counter-codec';
import { decodeRecord } from '../../storage/codec/record-codec';
import type { Obsolete, ReadRecord, RecordKey } from '../../storage/record-store';
import type { ObservedBackend } from '../projection/lock-projection';

/**
 * Read and deleted at a time, each in one step of the store: others wait behind no more than that.
 */
const AT_ONCE = 200;

/**
 * The outcome for one record. `changed`: it was used meanwhile, so it was kept; `gone`: it did not
 * exist.
 */
export type DeletionFate =
  | { key: RecordKey; outcome: 'deleted'; rev: number }
  | { key: RecordKey; outcome: 'kept'; because: KeptBecause }
  | { key: RecordKey; outcome: 'changed' | 'gone' };

/**
 * Deletes those records of one backend that nothing keeps, as `lockDeletion` says: each is read,
 * judged, and deleted only if it is still what was read and the store's clock has come far enough,
 * in one step. Says what became of each, in order.
 *
 * @param idleMs how long a lock must not have been held besides; 0 for a deletion by an operator
 * @throws StoreError where the backend does not answer; those before may be gone
 */
export async function deleteRecords(
  backend: Pick<ObservedBackend, 'store' | 'epochOf'>,
  keys: RecordKey[],
  idleMs: number,
): Promise<DeletionFate[]> {
  const fates: DeletionFate[] = [];
  for (let i = 0; i < keys.length; i += AT_ONCE) {
    const { records } = await backend.store.read(keys.slice(i, i + AT_ONCE), []);
    fates.push(...(await deleteRead(backend, records, idleMs)));
  }
  return fates;
}

/**
 * What keeps each record back, as it is now; null: nothing does. Those that are not there are left
 * out.
 */
export async function judgeRecords(
  { store, epochOf }: Pick<ObservedBackend, 'store' | 'epochOf'>,
  keys: RecordKey[],
): Promise<{ key: RecordKey; keptBecause: KeptBecause | null }[]> {
  const { records } = await store.read(keys, []);
  return records.flatMap((read) =>
    read.record ? [{ key: read.key, keptBecause: deletionOf(read, epochOf(), 0).keptBecause }] : [],
  );
}

/** The same for records that were read just now. */
export async function deleteRead(
  { store, epochOf }: Pick<ObservedBackend, 'store' | 'epochOf'>,
  reads: ReadRecord[],
  idleMs: number,
): Promise<DeletionFate[]> {
  const epoch = epochOf();
  const obsolete: Obsolete[] = [];
  const fates = reads.map((read): DeletionFate => {
    const { key, record, now } = read;
    if (!record) return { key, outcome: 'gone' };
    const { keptBecause, notBefore } = deletionOf(read, epoch, idleMs);
    if (keptBecause) return { key, outcome: 'kept', because: keptBecause };
    const { rev, writer } = record;
    if (notBefore > now) return { key, outcome: 'changed' };
    obsolete.push({ key, rev, writer, notBefore });
    return { key, outcome: 'deleted', rev };
  });
  const isGone = obsolete.length > 0 ? await store.forget(obsolete) : [];
  let asked = 0;
  return fates.map((fate) => {
    if (fate.outcome !== 'deleted') return fate;
    const { key } = fate;
    return isGone[asked++] ? fate : { key, outcome: 'changed' };
  });
}

/** What cannot be read may be in use. A counter is never idle: its value is all that it is. */
function deletionOf({ key, record, now }: ReadRecord, epoch: number, idleMs: number): Deletion {
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
