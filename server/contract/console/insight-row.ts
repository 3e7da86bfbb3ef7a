import type { HistogramBar } from '../../core/statistics/log-histogram';
import type { EventCounts } from '../../core/statistics/minute-rollup';
import type { LockStatus } from './console-terms';

/** The time ranges that a lock's charts can cover. */
export const INSIGHT_RANGES = ['1h', '24h', '7d', '30d'] as const;
export type InsightRange = (typeof INSIGHT_RANGES)[number];

/** Quantiles of waits and holds in milliseconds, at most 9.1 % off; null if there were none. */
interface Durations {
  waitP50Ms: number | null;
  waitP99Ms: number | null;
  holdP50Ms: number | null;
  holdP99Ms: number | null;
}

/** One step of a time series. What counts as what: see `minute-rollup.ts`. */
export interface InsightPoint extends EventCounts, Durations {
  /** The start of the step. The last step of a series is not complete yet. */
  at: number;
}

/** The statistics of one lock over a range of time. Instants are its backend's clock. */
export interface LockInsight {
  range: InsightRange;
  /** The length of one step, in milliseconds. */
  stepMs: number;
  /** Every step of the range, including empty ones, oldest first; at most 180. */
  points: InsightPoint[];
  /** The figures of the whole range. */
  total: EventCounts & Durations;
  /** The waits of grants in the range: non-empty buckets, shortest first. */
  waits: HistogramBar[];
  /** The durations of holds that ended in the range. */
  holds: HistogramBar[];
  /** The lock's baseline, whatever the range. */
  ownHold: HoldBaseline | null;
  /** This server's clock when it was made. */
  asOf: number;
}

/**
 * A lock's baseline: the durations of the holds that ended this week (from Thursday 0:00 UTC) and
 * the week before, so over 7 to 14 days, except those that an operator ended. Up to a minute old.
 * Null with fewer than 20 such holds, which are too few to call a hold unusual.
 */
export interface HoldBaseline {
  p50Ms: number;
  p99Ms: number;
  /** The number of holds behind it. */
  count: number;
}

/**
 * The figures of all locks in a step of 30 s: the highest of the readings of each figure, which are
 * made every second.
 */
export interface FleetSample {
  /** The instant of its last reading, on this server's clock. */
  at: number;
  held: number;
  waiting: number;
  stuck: number;
  /** Total blocking time in ms. */
  blockingMs: number;
  /** The lowest readings while all backends were known; null: they never were. */
  low: { held: number; stuck: number } | null;
}

/** All locks of all backends, now and over the last hour. */
export interface FleetNow {
  /** How many locks are in each status. */
  counts: Record<LockStatus, number>;
  /** Held locks, whatever their status, without those of backends that do not respond. */
  held: number;
  /** The waiters of all locks. */
  waiting: number;
  /** How many callers are blocked by locks, and the total blocking time in ms. */
  blocked: number;
  blockingMs: number;
  /** Over the last 60 seconds. */
  grantsPerSecond: number;
  /**
   * The steps of the last hour in which this process ran, oldest first. The last one is not
   * complete yet.
   */
  samples: FleetSample[];
  /** The last 60 minutes including the current one, oldest first. */
  minutes: InsightPoint[];
  /** The figures of those minutes together. */
  hour: EventCounts & Durations;
  /** This server's clock when the minutes were read; older than `asOf` while reads fail. */
  hourAt: number;
  /** This server's clock when it was made. */
  asOf: number;
}
