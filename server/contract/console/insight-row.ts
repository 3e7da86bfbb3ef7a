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

/** One step of a time line. What counts as what: see `minute-rollup.ts`. */
export interface InsightPoint extends EventCounts, Durations {
  /** The start of the step. The last step of a time line is still under way. */
  at: number;
}

/** One lock over a range of time. Instants are its backend's clock. */
export interface LockInsight {
  range: InsightRange;
  /** How long one step is, in milliseconds. */
  stepMs: number;
  /** Every step of the range, empty ones too, oldest first; at most 180. */
  points: InsightPoint[];
  /** Over the whole range. */
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
 * A lock's baseline: how long it was held, over the holds that ended this week (from Thursday 0:00
 * UTC) and the week before, so over 7 to 14 days, except those that an operator ended. Up to a
 * minute old. Null with fewer than 20 such holds: too few to call anything unusual.
 */
export interface HoldBaseline {
  p50Ms: number;
  p99Ms: number;
  /** The number of holds behind it. */
  count: number;
}

/**
 * A step of 30 s of the course of all locks: the highest of the readings of each figure, of which
 * there is one every second.
 */
export interface FleetSample {
  /** The instant of its last reading, on this server's clock. */
  at: number;
  held: number;
  waiting: number;
  stuck: number;
  /** Total blocking time in ms. */
  blockingMs: number;
  /** The lowest readings while all backends were known; null: they were not at any reading. */
  low: { held: number; stuck: number } | null;
}

/** All locks of all backends, now and over the last hour. */
export interface FleetNow {
  /** How many locks are in each status. */
  counts: Record<LockStatus, number>;
  /** Held locks, whatever their status. A backend that does not respond contributes none. */
  held: number;
  /** All waiters, for all locks. */
  waiting: number;
  /** How many callers are kept from their work by locks, and for how long in total, in ms. */
  blocked: number;
  blockingMs: number;
  /** Over the last 60 seconds. */
  grantsPerSecond: number;
  /**
   * Every 30 s of the last hour, as far as this process has run, oldest first. The last step is
   * still under way.
   */
  samples: FleetSample[];
  /** The last 60 minutes with the current one, oldest first. */
  minutes: InsightPoint[];
  /** Over those minutes. */
  hour: EventCounts & Durations;
  /** This server's clock when the minutes were read; older than `asOf` while that fails. */
  hourAt: number;
  /** This server's clock when it was made. */
  asOf: number;
}
