import { DAY_MS } from './time-units';

/** How long history is kept, in milliseconds. */
export interface Retention {
  /**
   * Events of locks and counters, roll-ups of counters by the minute, incidents, deadlocks,
   * resolved alerts, refused attempts.
   */
  historyMs: number;
  /** Roll-ups of locks by the minute; at least as long as the history. */
  minutesMs: number;
  /** Audit entries; null: for ever. */
  auditMs: number | null;
}

export const DEFAULT_RETENTION: Retention = {
  historyMs: 30 * DAY_MS,
  minutesMs: 60 * DAY_MS,
  auditMs: null,
};

/** How long weekly counts are kept. Baselines need only those of this week and the last. */
export const WEEKS_MS = 30 * DAY_MS;
