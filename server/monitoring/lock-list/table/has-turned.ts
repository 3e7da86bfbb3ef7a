import type { LockStatus } from '../../../contract/console/console-terms';
import { lockState } from '../../../core/lock/lock-answers';
import type { ProjectionRow } from '../../projection/projection-row';

/** Statuses that services see as a state which time, or an outage, may end. */
const PASSING: readonly (LockStatus | undefined)[] = ['delayed', 'unknown'];

/** Whether services see another state of a lock whose record has not changed. */
export function hasTurned(
  before: LockStatus | undefined,
  now: LockStatus,
  isOtherwiseHeld: boolean,
): boolean {
  return isOtherwiseHeld || (before !== now && (PASSING.includes(before) || PASSING.includes(now)));
}

/** The same for a lock that was read just now: since it was read. @param now the backend's clock */
export function hasTurnedSinceRead({ record, readAt }: ProjectionRow, now: number): boolean {
  return lockState(record, readAt) !== lockState(record, now);
}
