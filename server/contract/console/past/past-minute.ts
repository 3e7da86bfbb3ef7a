/**
 * The statistics of locks in one minute, from the roll-ups: for times whose events are no longer
 * stored.
 */
export interface PastMinute {
  /**
   * The start of the minute, on this server's clock. The numbers of a backend are of the minute
   * that its own clock showed at the instant asked about.
   */
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
