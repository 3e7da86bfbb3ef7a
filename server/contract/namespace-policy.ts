/** What a namespace allows its callers. Durations are milliseconds. */
export interface NamespacePolicy {
  leaseMinMs: number;
  leaseMaxMs: number;
  /** The longest patience of one acquire; 0: nobody may wait. */
  patienceMaxMs: number;
  /** The longest queue of one lock. */
  queueLimit: number;
  /** The pause between a hold that was lost (expired or forced) and the next grant. */
  lockDelayMs: number;
  /** Keys of `meta` that every acquire must fill in. */
  requiredMeta: string[];
  /** A lock that is held for longer while somebody waits is called stuck, whatever its history; 0: its history decides. */
  stuckAfterMs: number;
  /** How many names it may have, locks and counters together. Those that have a record go on beyond it; new ones do not. */
  maxLocks: number;
}

export const LEASE_MIN_MS = 100;
export const LEASE_MAX_MS = 24 * 60 * 60_000;
export const WAIT_MAX_MS = 10 * 60_000;
export const QUEUE_LIMIT_MAX = 2_000;
export const LOCK_DELAY_MAX_MS = 5 * 60_000;
export const REQUIRED_META_MAX = 10;
export const STUCK_AFTER_MAX_MS = 24 * 60 * 60_000;
/** The most that `maxLocks` can be. */
export const MAX_LOCKS_MAX = 10_000_000;

/** The policy of every namespace that has none of its own. */
export const DEFAULT_POLICY: NamespacePolicy = {
  leaseMinMs: LEASE_MIN_MS,
  leaseMaxMs: LEASE_MAX_MS,
  patienceMaxMs: WAIT_MAX_MS,
  queueLimit: 200,
  lockDelayMs: 0,
  requiredMeta: [],
  stuckAfterMs: 0,
  maxLocks: 100_000,
};
