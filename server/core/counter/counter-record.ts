import type { Bounds } from '../../contract/counter-bounds';
import { sinceEra } from '../fencing-token';

/** The last change of a counter's value. */
export interface CounterMove {
  at: number;
  delta: number;
  /** The service that added, or the person who adjusted. */
  who: string;
  isPerson: boolean;
}

/**
 * Everything about one counter. Small and versioned; only `decideCounter` changes it. It is never
 * deleted for being idle: unlike a free lock, an unused counter still carries a value.
 * `checkCounterRecord` checks its invariants.
 */
export interface CounterRecord extends Bounds {
  /** +1 for every accepted change. Never restarts: a missing counter begins at the clock. */
  rev: number;
  value: number;
  createdAt: number;
  lastMove: CounterMove | null;
  /** Until when the store may keep answers that concern this counter; 0: it keeps none. */
  answersUntil: number;
}

/** The rev of a counter that is created now. */
export function firstRev(now: number): number {
  return sinceEra(now) + 1;
}
