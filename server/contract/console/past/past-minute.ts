/**
 * The statistics of locks in one minute, from the roll-ups: for times whose events are no longer
 * stored.
 */
export interface PastMinute {
  /** The start of the minute, on the clocks of the backends. */
  minute: number;
  /** The locks with the most grants first. */
  rows: PastMinuteRow[];
  /** Whether there were more locks than these rows. */
  areMore: boolean;
}

interface PastMinuteRow {
  backend: string;
  namespace: string;
  name: string;
  grants: number;
  timeouts: number;
  expiries: number;
  forced: number;
  waitP99Ms: number | null;
  holdP99Ms: number | null;
}
