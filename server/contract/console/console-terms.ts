/**
 * What pages must know of the console's inputs. It stands apart from them so that no browser has to load what checks
 * inputs: that would also try to compile code, which the pages' security policy forbids.
 */

/** Roles, each with everything that the one before it may do: see, act on locks, manage people and keys. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

export const PASSWORD_MIN_CHARS = 12;

/** Of the reason for an act, without spaces around it. */
export const REASON_MIN_CHARS = 3;
export const REASON_MAX_CHARS = 500;

/** How many names one request to delete may choose one by one. */
export const DELETE_NAMES_MAX = 200;

export const LOCK_SORTS = ['worst', 'name', 'held', 'lease', 'waiters'] as const;
