import { causes } from '../database-failure';

/** The whole transaction was rolled back, so that another one could continue. */
export const DEADLOCK = 1213;

/** A row or a table stayed locked by another transaction. */
export const LOCK_WAIT_TIMEOUT = 1205;

/** MariaDB with snapshot isolation: the row has changed since it was read. */
export const ROW_CHANGED = 1020;

/** After these the transaction may be run again. */
export const CONFLICTS = [DEADLOCK, ROW_CHANGED];

/**
 * The server accepts no writes, or its transactions were read-only by default when the connection
 * was opened. It may have become a replica.
 */
export const READ_ONLY = [1290, 1792, 1836];

/** Errors of a refused commit: the server has rolled the transaction back. */
export const REFUSED_COMMITS = [...CONFLICTS, ...READ_ONLY];

/** Whether an error, or one of its causes, has one of these numbers. */
export const hasErrno = (error: unknown, ...numbers: number[]) =>
  causes(error).some((each) => numbers.includes((each as { errno?: number }).errno ?? 0));
