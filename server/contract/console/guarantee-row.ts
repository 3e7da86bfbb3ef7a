/** A backend's guarantees for the console: see `Guarantees` of the stores. */
export interface GuaranteeRow {
  backend: string;
  /** The last good reading of its settings; null before the first. */
  reading: GuaranteeReading | null;
  /** The last attempt to read them failed. */
  isFailing: boolean;
  /** It may grant locks although its configuration is unsafe. */
  isAllowed: boolean;
  /** Why it currently grants nothing, in whole sentences; null while it grants. */
  closedBecause: string | null;
}

export interface GuaranteeReading {
  level: 'Strong' | 'Timed' | 'Best-effort';
  /** Whole sentences, the most severe first. */
  reasons: string[];
  settings: { name: string; value: string; complaint: string | null }[];
  /** Why locks on it may be granted twice; null if they cannot. */
  unsafe: string | null;
  /** It is unsafe, and `LOCKYARD_ALLOW_UNSAFE` does not cover it. */
  isNeverAllowed?: boolean;
  /** It serves nothing at all: existing holds cannot be renewed either. */
  servesNothing?: boolean;
  /** When it was read, on this server's clock, epoch milliseconds. */
  at: number;
  ageMs: number;
}
