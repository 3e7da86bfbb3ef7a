import type { LockStatus } from '../../../contract/console/console-terms';
import { lockState } from '../../../core/lock/lock-answers';
import type { ProjectionRow } from '../../projection/projection-row';

/** Statuses that services see as a state, and that time or an outage can begin or end. */
const PASSING: readonly (LockStatus | undefined)[] = ['delayed', 'unknown'];

/** Whether services see another state of a lock whose record has not changed. */
export function hasTurned(
  before: LockStatus | undefined,
  now: LockStatus,
  hasHeldChanged: boolean,
): boolean {
  return hasHeldChanged || (before !== now && (PASSING.includes(before) || PASSING.includes(now)));
}

/** The same for a lock that was just read: since its read. @param now the clock of its backend */
export function hasTurnedSinceRead({ record, readAt }: ProjectionRow, now: number): boolean {
  return lockState(record, readAt) !== lockState(record, now);
}
