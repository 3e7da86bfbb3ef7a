import { randomBytes } from 'node:crypto';
import { type Restoration, restoredCounter, restoredLock } from '../domain/restored-record';
import { decodeCounter, encodeCounter } from './counter-codec';
import { decodeRecord, encodeRecord } from './record-codec';
import type { Change, RecordKey, StoredRecord } from './record-store';

/** By whom and why a hold ended, as its holder is told. */
const NOBODY = { by: 'lockyard', reason: 'The backend had lost its memory.' };

/**
 * The change that brings a record which a store still has into its new life. Whatever was held is over, and its holder told
 * so: nobody knows what came after the record was written. Freezes and counters stay. Lockyard's own records stay as they
 * are, and so does what no version of ours wrote: no engine will decide on it. A lock is not granted before the leases that are
 * found in it are over, whoever granted them.
 *
 * @param restoration the new life's epoch, from when on it grants, and the store's clock
 * @returns one change, or none
 */
export function mendedRecord(
  key: RecordKey,
  record: StoredRecord,
  restoration: Omit<Restoration, 'by' | 'reason'>,
): Change[] {
  if (key.namespace.startsWith('.')) return [];
  const plain = {
    key,
    expect: { rev: record.rev, writer: record.writer },
    clock: { past: 0, ahead: Number.POSITIVE_INFINITY },
    writer: randomBytes(8).toString('base64url'),
    memos: [],
    extensions: [],
  };
  try {
    if (key.kind === 'counter') {
      const next = restoredCounter(decodeCounter(record).record, restoration.now);
      return [{ ...plain, rev: next.rev, head: encodeCounter(next).head, queue: '', events: [] }];
    }
    const lock = decodeRecord(record).record;
    const until = lock.holds.map(({ expiresAt }) => expiresAt);
    const grantsFrom = Math.max(restoration.grantsFrom, ...until);
    const { next, events } = restoredLock(lock, { ...restoration, grantsFrom, ...NOBODY });
    const { head, queue } = encodeRecord(next, null);
    return [{ ...plain, rev: next.rev, head, queue, events }];
  } catch {
    return [];
  }
}
