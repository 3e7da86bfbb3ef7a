import type { PollOptions } from '../poll-until-granted';

/** Options for taking a lock with a lease on Redis. */
export interface LeaseOptions extends PollOptions {
  /** The prefix of its keys. */
  prefix?: string;
  /** For how long the lock is granted. Default 30 s. */
  leaseMs?: number;
  /**
   * Called when the release finds that the lease had run out before the work was done: another
   * caller may have worked at the same time, and what this one wrote may have overwritten it.
   */
  onLost?: () => void;
}

export const LEASE_MS = 30_000;
