/**
 * The parts of the console's inputs that pages need. They are separate so that browsers do not load
 * the validation library, which also tries to compile code: the pages' security policy forbids it.
 */

/** Roles, each of which includes the one before: view, act on locks, manage people and keys. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export const PASSWORD_MIN_CHARS = 12;

/** The length of the reason for an action, without surrounding spaces. */
export const REASON_MIN_CHARS = 3;
export const REASON_MAX_CHARS = 500;

/** Whether a text has a character that is drawn. */
export function isVisible(text: string): boolean {
  return /[^\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);
}

/** How many names one deletion request may list. */
export const DELETE_NAMES_MAX = 200;

export const LOCK_SORTS = ['worst', 'name', 'held', 'lease', 'waiters'] as const;

/** The status of a lock for an operator, most severe first, as the lock list sorts. */
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

/** How many days the past is kept. */
export interface RetentionDays {
  history: number;
  /** How many days audit entries are kept; null: for ever. */
  audit: number | null;
}
