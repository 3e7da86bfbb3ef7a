import type { Hold, LockRecord } from '../../core/lock/lock-record';
import type { ProjectionRow } from '../projection/projection-row';

/** What renewals, operators' remarks and repeated requests change: no watcher is woken for it. */
const UNWATCHED: ReadonlySet<string> = new Set<keyof Hold>([
  'leaseMs',
  'renewedAt',
  'renewals',
  'expiresAt',
  'meta',
  'requests',
  'requestsKeptUntil',
  'askedToRelease',
  'renewalsStopped',
  'set',
  'isUnclaimed',
]);

/**
 * Whether two readings of a lock look the same to those who watch it: the same holds, as many
 * waiters, and nothing else that decides who may have it. Null: the lock has no record.
 */
export function isSameState(a: ProjectionRow | null, b: ProjectionRow | null): boolean {
  if (a === null || b === null) return isIdle(a ?? b);
  return a.isReadable === b.isReadable && isSameRecord(a.record, b.record);
}

function isSameRecord(a: LockRecord, b: LockRecord): boolean {
  return (
    a.queue.length === b.queue.length &&
    a.delayedUntil === b.delayedUntil &&
    (a.frozen === null) === (b.frozen === null) &&
    (a.ended?.cause === 'expired') === (b.ended?.cause === 'expired') &&
    a.holds.length === b.holds.length &&
    a.holds.every((hold, i) => isSameHold(hold, b.holds[i] as Hold))
  );
}

/** Compares what a hold has or may come to have, but for what is known not to matter. */
function isSameHold(a: Hold, b: Hold): boolean {
  for (const field of Object.keys({ ...a, ...b }) as (keyof Hold)[]) {
    if (a[field] !== b[field] && !UNWATCHED.has(field)) return false;
  }
  return true;
}

/** Whether a lock is as one without a record. */
function isIdle(row: ProjectionRow | null): boolean {
  if (row === null) return true;
  const { holds, queue, frozen, delayedUntil, ended } = row.record;
  const isFree = holds.length === 0 && queue.length === 0 && frozen === null && delayedUntil === 0;
  return row.isReadable && isFree && ended?.cause !== 'expired';
}
