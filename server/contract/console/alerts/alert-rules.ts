/** The kinds of alerts, one for each rule. */
export const ALERT_KINDS = [
  'stuck',
  'orphaned',
  'expired',
  'waitsOver',
  'blockingOver',
  'counterNear',
  'backendUnknown',
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** When the alerts of a namespace fire; null: never. Durations are milliseconds. */
export interface AlertRules {
  /** A lock has been stuck for this long. */
  stuckForMs: number | null;
  /** A process that is proven dead has held a lock for this long since then. */
  orphanedForMs: number | null;
  /** A lease expired without a release, and no caller has acquired the lock for this long. */
  expiredForMs: number | null;
  /** A caller has waited for longer than this. */
  waitsOverMs: number | null;
  /** The total blocking time of one lock is longer than this. */
  blockingOverMs: number | null;
  /** A counter is at most this far from its floor or its ceiling. */
  counterWithin: number | null;
  /** The namespace's backend has not responded, or has rejected requests, for this long. */
  backendUnknownForMs: number | null;
}

/** The longest duration of a rule about one lock or backend. */
export const ALERT_AFTER_MAX_MS = 24 * 60 * 60_000;

/** The longest total blocking time of a rule: it is the sum of many waits. */
export const ALERT_BLOCKING_MAX_MS = 30 * ALERT_AFTER_MAX_MS;

export const ALERT_WITHIN_MAX = 1_000_000_000;

/** The longest silence. */
export const SILENCE_MAX_MS = 30 * ALERT_AFTER_MAX_MS;
export const SILENCE_MIN_MS = 60_000;

/** The rules of every namespace without rules of its own. */
export const DEFAULT_ALERT_RULES: AlertRules = {
  stuckForMs: 30_000,
  orphanedForMs: 0,
  expiredForMs: 5_000,
  waitsOverMs: null,
  blockingOverMs: null,
  counterWithin: null,
  backendUnknownForMs: 60_000,
};
