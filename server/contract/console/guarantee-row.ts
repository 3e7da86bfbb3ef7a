/** What a backend can promise, for the pages: see `Guarantees` of the stores. */
export interface GuaranteeRow {
  backend: string;
  /** The last good reading of its settings; null before the first. */
  reading: GuaranteeReading | null;
  /** The last try to read them failed. */
  isFailing: boolean;
  /** It may grant locks though it is not set up safely. */
  isAllowed: boolean;
  /** Why it grants nothing at the moment, in whole sentences; null while it does. */
  closedBecause: string | null;
}

export interface GuaranteeReading {
  level: 'Strong' | 'Timed' | 'Best-effort';
  /** Whole sentences, the weightiest first. */
  reasons: string[];
  settings: { name: string; value: string; complaint: string | null }[];
  /** Why locks kept so may be granted twice; null where that is not so. */
  unsafe: string | null;
  /** It is unsafe, and `LOCKYARD_ALLOW_UNSAFE` does not cover it. */
  isNeverAllowed?: boolean;
  /** Nothing can be asked of it at all: holds do not go on either. */
  servesNothing?: boolean;
  /** When it was read, on this server's clock, epoch milliseconds. */
  at: number;
  ageMs: number;
}
