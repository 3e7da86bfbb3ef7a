/** The name of a namespace. */
export const NAMESPACE_NAME = /^[a-z0-9][a-z0-9._-]{0,62}$/;

/** What a namespace allows. Durations are milliseconds. */
export interface NamespacePolicy {
  leaseMinMs: number;
  leaseMaxMs: number;
  /** The longest wait of one acquire; 0: no waiting. */
  patienceMaxMs: number;
  /** The maximum queue length of one lock. */
  queueLimit: number;
  /** The pause between a lost hold (expired or forced) and the next grant. */
  lockDelayMs: number;
  /** The keys of `meta` for which every acquire must give a value. */
  requiredMeta: string[];
  /** A lock with waiters that is held for longer is stuck; 0: the lock's history decides. */
  stuckAfterMs: number;
  /**
   * Whether callers always wait for its locks, as the standbys of a leader do: then waiting or
   * refused callers do not make a lock stuck or worth watching.
   */
  standbyExpected: boolean;
  /** Whether a lock is released once two witnesses of different kinds prove its holder dead. */
  releaseOrphans: boolean;
  /** The most names of locks and counters together. Beyond it new names are refused. */
  maxLocks: number;
  /**
   * The id of the Redis that is the gate of its counters: it can refuse steps before MySQL is
   * asked. Null: none.
   */
  gate: string | null;
}

export const LEASE_MIN_MS = 100;
export const LEASE_MAX_MS = 24 * 60 * 60_000;
export const WAIT_MAX_MS = 10 * 60_000;
export const QUEUE_LIMIT_MAX = 2_000;
export const LOCK_DELAY_MAX_MS = 5 * 60_000;
export const REQUIRED_META_MAX = 10;
export const STUCK_AFTER_MAX_MS = 24 * 60 * 60_000;
/** The upper limit of `maxLocks`. */
export const MAX_LOCKS_MAX = 10_000_000;

/** The policy of every namespace without its own. */
export const DEFAULT_POLICY: NamespacePolicy = {
  leaseMinMs: LEASE_MIN_MS,
  leaseMaxMs: LEASE_MAX_MS,
  patienceMaxMs: WAIT_MAX_MS,
  queueLimit: 200,
  lockDelayMs: 0,
  requiredMeta: [],
  stuckAfterMs: 0,
  standbyExpected: false,
  releaseOrphans: false,
  maxLocks: 100_000,
  gate: null,
};
