import type { PollOptions } from '../poll-until-granted';

/** Options for taking a lock with a lease on Redis. */
export interface LeaseOptions extends PollOptions {
  /** The prefix of its keys. */
  prefix?: string;
  /** How long the lock is granted for. Default 30 s. */
  leaseMs?: number;
  /**
   * Called when the release finds that the lease expired before the work was done: another caller
   * may have worked at the same time, and this one may have overwritten what that one wrote.
   */
  onLost?: () => void;
}

export const LEASE_MS = 30_000;
