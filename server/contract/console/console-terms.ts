/**
 * What pages need of the console's inputs. It is separate from them so that browsers need not load
 * the validation library: it also tries to compile code, which the pages' security policy forbids.
 */

/** Roles; each includes the one before it: see, act on locks, manage people and keys. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export const PASSWORD_MIN_CHARS = 12;

/** Length of the reason for an action, without surrounding spaces. */
export const REASON_MIN_CHARS = 3;
export const REASON_MAX_CHARS = 500;

/** How many names one deletion request may list one by one. */
export const DELETE_NAMES_MAX = 200;

export const LOCK_SORTS = ['worst', 'name', 'held', 'lease', 'waiters'] as const;

/** What a lock looks like to an operator, most severe first, as the lock list sorts. */
export const LOCK_STATUSES = [
  'stuck',
  'orphaned',
  'expired',
  'unknown',
  'expiring',
  'contended',
  'frozen',
  'delayed',
  'held',
  'free',
] as const;

export type LockStatus = (typeof LOCK_STATUSES)[number];

/** For how many days the past is kept. */
export interface RetentionDays {
  history: number;
  /** Null: audit entries are kept for ever. */
  audit: number | null;
}
