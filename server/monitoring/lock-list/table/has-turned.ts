import type { LockStatus } from '../../../contract/console/console-terms';

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
