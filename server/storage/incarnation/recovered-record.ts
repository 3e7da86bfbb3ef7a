import { randomBytes } from 'node:crypto';
import { LEASE_MAX_MS, LOCK_DELAY_MAX_MS } from '../../contract/namespace-policy';
import type { Hold } from '../../core/lock/lock-record';
import { endingBy, type Restore, restoredCounter, restoredLock } from '../../core/restored-record';
import { decodeCounter, encodeCounter } from '../codec/counter-codec';
import { decodeRecord, encodeRecord } from '../codec/record-codec';
import { isOwnRecord } from '../record-id';
import type { Change, RecordKey, StoredRecord } from '../record-store';

/** Who ended the hold and why, as reported to its holder. */
const ENDED_BY_RECOVERY = { by: 'lockyard', reason: 'The backend lost data.' };

/** The new incarnation's epoch, the instant from which it grants, and the store's clock. */
export interface Recovery extends Omit<Restore, 'by' | 'reason' | 'aheadMs'> {
  /** No hold in the store was granted for longer, those of `longestLeaseFound` included. */
  longestLeaseMs: number;
}

/**
 * The longest lease among the holds of these records, in milliseconds. Record it before any of them
 * is recovered: another installation may have granted it.
 */
export function longestLeaseFound(records: { key: RecordKey; record: StoredRecord }[]): number {
  const leases = records.flatMap(({ key, record }) => {
    const holds = key.kind === 'counter' || isOwnRecord(key) ? [] : holdsIn(record);
    return holds.map(({ expiresAt, renewedAt }) => Math.min(expiresAt - renewedAt, LEASE_MAX_MS));
  });
  return Math.max(0, ...leases);
}

function holdsIn(record: StoredRecord): Hold[] {
  try {
    return decodeRecord(record).record.holds;
  } catch {
    return [];
  }
}

/**
 * The change that brings a record that survived a data loss into the new incarnation. Its holds
 * end, and their holders are informed, because later writes to the record may be lost. Freezes and
 * counters stay. Lockyard's own records stay as they are, and so does any record that no version of
 * Lockyard wrote: no engine will decide on it. A lock is not granted before the leases found in it
 * have expired, whichever process granted them.
 *
 * @returns one change, or none
 */
export function recoveredRecord(
  key: RecordKey,
  record: StoredRecord,
  restoration: Recovery,
): Change[] {
  if (isOwnRecord(key)) return [];
  const plain = {
    key,
    expect: { rev: record.rev, writer: record.writer },
    clock: { past: 0, ahead: Number.POSITIVE_INFINITY },
    writer: randomBytes(8).toString('base64url'),
    storedAnswers: [],
    extensions: [],
  };
  try {
    if (key.kind === 'counter') {
      const next = restoredCounter(decodeCounter(record).record, restoration.now);
      return [{ ...plain, rev: next.rev, head: encodeCounter(next).head, queue: '', events: [] }];
    }
    // What seems to last longer was written while the store's clock was ahead.
    const longestMs = Math.max(restoration.longestLeaseMs, LOCK_DELAY_MAX_MS);
    const latest = Math.max(restoration.grantsFrom, restoration.now + longestMs);
    const lock = endingBy(latest, decodeRecord(record).record);
    const expiries = lock.holds.map(({ expiresAt }) => expiresAt);
    const grantsFrom = Math.max(restoration.grantsFrom, ...expiries);
    const { next, events } = restoredLock(lock, {
      ...restoration,
      grantsFrom,
      ...ENDED_BY_RECOVERY,
    });
    const { head, queue } = encodeRecord(next, null);
    return [{ ...plain, rev: next.rev, head, queue, events }];
  } catch {
    return [];
  }
}
