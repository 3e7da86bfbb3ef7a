/** The server holds a waiting request at most this long, then answers `queued`. */
export const HELD_OPEN_MS = 25_000;

/** The server answers within 5 s of the end of the requested wait, or not at all. */
export const ANSWER_WITHIN_MS = 6_000;

/** A `queued` answer faster than this comes from a server that is shutting down. */
export const AT_ONCE_MS = 200;

/** How long a short wait retries while no connection can be made. */
export const CONNECT_WITHIN_MS = 1_000;

/** How long a short wait retries once the server can be reached: as long as an answer may take. */
export const CONNECTED_BUDGET_MS = 5_000;

/** How long `withLock` retries after failures if nothing else sets a limit. */
export const RETRY_BUDGET_MS = 10_000;

/** How long cleaning up may delay an error that is already certain. */
export const TIDY_UP_MS = 2_000;

/** The minimum time for the answer to a renewal: a busy server may take this long. */
const SLOW_ANSWER_MS = 1_000;

/** The time limit for the answer to a renewal: a third of the lease, within bounds. */
export function renewalTimeoutMs(leaseMs: number): number {
  return Math.min(ANSWER_WITHIN_MS, Math.max(leaseMs / 3, SLOW_ANSWER_MS));
}

/** How far two clocks may drift apart in `ms`: 1 %, and 2 ms for rounding. */
export function driftMs(ms: number): number {
  return ms / 100 + 2;
}
