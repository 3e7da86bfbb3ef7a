import { DAY_MS } from '../time-units';

/** The timeout of a past waiter if it was not recorded: longer than any real one. */
export const UNKNOWN_PATIENCE_MS = 365 * DAY_MS;

/** Whether the timeout of a waiter is known: that of a past waiter may not be. */
export const isPatienceKnown = (patienceMs: number): boolean => patienceMs < UNKNOWN_PATIENCE_MS;
