/** The timeout of a past waiter if it was not recorded: longer than any. */
export const UNKNOWN_PATIENCE_MS = 365 * 24 * 60 * 60_000;

/** Whether it is known when a waiter times out: for a past waiter it may not be. */
export const isPatienceKnown = (patienceMs: number): boolean => patienceMs < UNKNOWN_PATIENCE_MS;
