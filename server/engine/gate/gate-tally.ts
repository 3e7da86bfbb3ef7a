/** What a process has counted at its gate since it started. */
export interface GateTally {
  refusals: number;
  passes: number;
  /** Exchanges that were not answered in time. */
  failures: number;
  corrections: number;
}
