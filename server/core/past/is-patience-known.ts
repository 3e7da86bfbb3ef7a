/** The timeout of a waiter of the past of which it was not recorded: longer than any. */
export const UNKNOWN_PATIENCE_MS = 365 * 24 * 60 * 60_000;

/** Whether it is known when a waiter times out; of one of the past it may not be. */
export const isPatienceKnown = (patienceMs: number): boolean => patienceMs < UNKNOWN_PATIENCE_MS;
