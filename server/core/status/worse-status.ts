import { LOCK_STATUSES, type LockStatus } from '../../contract/console/console-terms';

/** Whether a status is more severe than another. */
export const isWorse = (status: LockStatus, other: LockStatus): boolean =>
  LOCK_STATUSES.indexOf(status) < LOCK_STATUSES.indexOf(other);

/** The more severe of two statuses. */
export const worseStatus = (one: LockStatus, other: LockStatus): LockStatus =>
  isWorse(other, one) ? other : one;
