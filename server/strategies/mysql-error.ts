const DUPLICATE_KEY = 1062;
const LOCK_WAIT_TIMEOUT = 1205;
const DEADLOCK = 1213;

const hasErrno = (error: unknown, errno: number) =>
  (error as { errno?: unknown } | null)?.errno === errno;

export const isDuplicateKey = (error: unknown): boolean => hasErrno(error, DUPLICATE_KEY);

/**
 * The statement waited for a row for `innodb_lock_wait_timeout` and was rolled back, but not its
 * transaction.
 */
export const isLockWaitTimeout = (error: unknown): boolean => hasErrno(error, LOCK_WAIT_TIMEOUT);

/** The whole transaction was rolled back, to break a deadlock. */
export const isDeadlock = (error: unknown): boolean => hasErrno(error, DEADLOCK);
