import type { ProvenDeath } from './incident';

/**
 * How one lock was used over a span of time, as bars and marks. Instants are its backend's clock.
 * Built from the recorded events, so it may lack what happened within the last second.
 */
export interface LockTimeline {
  from: number;
  to: number;
  /** Complete from here on; later than `from` where there are too many events to go through. */
  since: number;
  /** Oldest first. Shared holds overlap. */
  holds: HoldBar[];
  /** Oldest first, at most `WAIT_BARS_MAX`: those still open, then the longest. */
  waits: WaitBar[];
  /** How many more waits there were. */
  moreWaits: number;
  /** Oldest first: attempts that were refused, one bar a minute. */
  refused: RefusalBar[];
  /** Oldest first: what operators did. */
  acts: ActMark[];
  /** Processes of its holders that were proven dead, as the lock's incidents have them. */
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
  /** How many holds the bar shows: short ones close to one another are drawn as one. */
  count: number;
}

export interface WaitBar extends Bar {
  end: WaitEnd | null;
}

/** Refused attempts within a minute: what each of them wanted was not granted, nor queued. */
export interface RefusalBar {
  from: number;
  to: number;
  attempts: number;
  /** Those who tried most often. */
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
