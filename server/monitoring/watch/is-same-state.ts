import { lockState } from '../../core/lock/lock-answers';
import type { Hold, LockRecord } from '../../core/lock/lock-record';
import type { ProjectionRow } from '../projection/projection-row';

/** Fields that renewals, operators' remarks and repeated requests change: these wake no watch. */
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
  'traceparent',
  'waitedForTraceparent',
]);

/** Fields of a record that are compared one by one, or not at all. */
const COMPARED: ReadonlySet<string> = new Set<keyof LockRecord>([
  'rev',
  'lastToken',
  'lastTicket',
  'holds',
  'offers',
  'ended',
  'queue',
  'departed',
  'frozen',
  'delayedUntil',
  'answersUntil',
]);

/**
 * Whether two readings of a lock look the same to those who watch it: the same holds, as many
 * waiters, nothing else that decides who can hold it, and no other effect of time. Null: the lock
 * has no record.
 */
export function isSameState(a: ProjectionRow | null, b: ProjectionRow | null): boolean {
  if (a === null || b === null) return isIdle(a ?? b);
  return (
    a.isReadable === b.isReadable &&
    isSameRecord(a.record, b.record) &&
    lockState(a.record, a.readAt) === lockState(b.record, b.readAt)
  );
}

function isSameRecord(a: LockRecord, b: LockRecord): boolean {
  return (
    a.queue.length === b.queue.length &&
    a.delayedUntil === b.delayedUntil &&
    (a.frozen === null) === (b.frozen === null) &&
    (a.ended?.cause === 'expired') === (b.ended?.cause === 'expired') &&
    a.holds.length === b.holds.length &&
    a.holds.every((hold, i) => isSameBut(UNWATCHED, hold, b.holds[i] as Hold)) &&
    isSameBut(COMPARED, a, b)
  );
}

/** Whether two objects are equal except for some fields; absent fields are compared too. */
function isSameBut<T extends object>(fields: ReadonlySet<string>, a: T, b: T): boolean {
  for (const field of Object.keys({ ...a, ...b }) as (keyof T & string)[]) {
    if (!fields.has(field) && !isSameValue(a[field], b[field])) return false;
  }
  return true;
}

function isSameValue(a: unknown, b: unknown): boolean {
  return a === b || (typeof a === 'object' && JSON.stringify(a) === JSON.stringify(b));
}

/** Whether a lock looks like one without a record. */
function isIdle(row: ProjectionRow | null): boolean {
  if (row === null) return true;
  const { holds, queue, frozen, delayedUntil, ended } = row.record;
  const isFree = holds.length === 0 && queue.length === 0 && frozen === null && delayedUntil === 0;
  return row.isReadable && isFree && ended?.cause !== 'expired';
}
