import type { HistogramBar } from '../../core/statistics/log-histogram';
import type { EventCounts } from '../../core/statistics/minute-rollup';
import type { LockStatus } from '../../core/status/lock-status';

/** How far back the pictures of a lock can look. */
export const INSIGHT_RANGES = ['1h', '24h', '7d', '30d'] as const;
export type InsightRange = (typeof INSIGHT_RANGES)[number];

/** Quantiles of waits and holds, in milliseconds, at most 9.1 % off; null where there were none. */
interface Durations {
  waitP50Ms: number | null;
  waitP99Ms: number | null;
  holdP50Ms: number | null;
  holdP99Ms: number | null;
}

/** One step of a time line. What is counted as what: see `minute-rollup.ts`. */
export interface InsightPoint extends EventCounts, Durations {
  /** The instant at which the step begins. The last step of a time line is still under way. */
  at: number;
}

/** One lock over a range of time. Instants are its backend's clock. */
export interface LockInsight {
  range: InsightRange;
  /** How long one step is, in milliseconds. */
  stepMs: number;
  /** Every step of the range, also those in which nothing happened, oldest first; at most 180. */
  points: InsightPoint[];
  /** Over the whole range. */
  total: EventCounts & Durations;
  /** How long grants of the range were waited for: buckets that are not empty, shortest first. */
  waits: HistogramBar[];
  /** How long holds that ended in the range had lasted. */
  holds: HistogramBar[];
  /** How long this lock is held as a rule, whatever the range. */
  ownHold: OwnHold | null;
  /** This server's clock when it was made. */
  asOf: number;
}

/**
 * How long a lock was held, of the holds that ended this week (from Thursday 0:00 UTC) and the week before: 7 to 14 days.
 * Up to a minute old. Null stands for a lock with less than 20 such holds: too few to call anything unusual.
 */
export interface OwnHold {
  p50Ms: number;
  p99Ms: number;
  /** How many holds it is made from. */
  count: number;
}

/** All locks of all backends, now and over the last hour. */
export interface FleetNow {
  /** How many locks are in each status. */
  counts: Record<LockStatus, number>;
  /** Locks that somebody holds, whatever their status. A backend that does not answer has none that are known to be. */
  held: number;
  /** Everybody who waits, for whatever lock. */
  waiting: number;
  /** Over the last 60 seconds. */
  grantsPerSecond: number;
  /** The last 60 minutes, the one under way included, oldest first. */
  minutes: InsightPoint[];
  /** Over those minutes. */
  hour: EventCounts & Durations;
  /** This server's clock when the minutes were read; older than `asOf` while they cannot be read. */
  hourAt: number;
  /** This server's clock when it was made. */
  asOf: number;
}
