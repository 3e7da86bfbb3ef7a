/** A backend's guarantees as the console shows them: see `Guarantees` of the stores. */
export interface GuaranteeRow {
  backend: string;
  /** The last successful reading of its settings; null before the first. */
  reading: GuaranteeReading | null;
  /** Whether the last attempt to read them failed. */
  isFailing: boolean;
  /** Whether it may grant locks although its configuration is unsafe. */
  isAllowed: boolean;
  /** Why it currently grants nothing, in whole sentences; null while it grants. */
  closedBecause: string | null;
}

export interface GuaranteeReading {
  level: 'Strong' | 'Timed' | 'Best-effort';
  /** Whole sentences, the most severe first. */
  reasons: string[];
  settings: { name: string; value: string; complaint: string | null }[];
  /** Why its locks could be granted twice; null if they cannot. */
  unsafe: string | null;
  /** Whether it is unsafe in a way that `LOCKYARD_ALLOW_UNSAFE` does not cover. */
  isNeverAllowed?: boolean;
  /** Whether it serves nothing at all, so that existing holds cannot be renewed either. */
  servesNothing?: boolean;
  /** When it was read, on this server's clock, epoch milliseconds. */
  at: number;
  ageMs: number;
}
