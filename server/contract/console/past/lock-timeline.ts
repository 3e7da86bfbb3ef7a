import type { ProvenDeath } from './incident';

/**
 * How one lock was used over a span of time, as bars and marks. Instants are its backend's clock.
 * Built from the recorded events, so events of the last second may be missing.
 */
export interface LockTimeline {
  from: number;
  to: number;
  /** The timeline is complete from here on; later than `from` if there are too many events. */
  since: number;
  /** Oldest first. Shared holds overlap. */
  holds: HoldBar[];
  /** Oldest first, at most `WAIT_BARS_MAX`, preferably open ones, then the longest. */
  waits: WaitBar[];
  /** How many more waits there were. */
  moreWaits: number;
  /** Refused attempts, oldest first, one bar a minute. */
  refused: RefusalBar[];
  /** Operators' actions, oldest first. */
  acts: ActMark[];
  /** Processes of its holders that were proven dead, from the lock's incidents. */
  deaths: ProvenDeath[];
  /** The server's clock when it was made. */
  asOf: number;
}

interface Bar {
  from: number;
  /** Null: no end is recorded. */
  to: number | null;
  service: string;
  owner: string;
}

export interface HoldBar extends Bar {
  token: number;
  /** How it ended; null without a recorded end. */
  end: 'released' | 'expired' | 'forced' | 'late' | null;
  /** How many holds the bar shows: short ones that are close together are drawn as one. */
  count: number;
}

export interface WaitBar extends Bar {
  end: WaitEnd | null;
}

/** Attempts within a minute that were neither granted nor queued. */
export interface RefusalBar {
  from: number;
  to: number;
  attempts: number;
  /** The owners with the most attempts. */
  owners: string[];
  areMore: boolean;
}

export const WAIT_ENDS = ['granted', 'timeout', 'cancelled', 'dropped', 'moved'] as const;
export type WaitEnd = (typeof WAIT_ENDS)[number];

export interface ActMark {
  at: number;
  kind: string;
  by: string;
  reason: string;
}

/** How many waits one timeline lists. */
export const WAIT_BARS_MAX = 60;
