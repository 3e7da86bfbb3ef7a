import { sinceEra } from '../fencing-token';

/** The range of a counter's value. Null: no bound of its own; safe integers are then the limit. */
export interface Bounds {
  floor: number | null;
  ceiling: number | null;
}

/** The last thing that happened to a counter's value. */
export interface CounterMove {
  at: number;
  delta: number;
  /** The service that added, or the person who adjusted. */
  who: string;
  isPerson: boolean;
}

/**
 * Everything about one counter. Small and versioned; only `decideCounter` changes it. It is never
 * deleted for being idle: unlike a free lock, an unused counter still carries a value. Invariants:
 * the value is a safe integer and within the bounds.
 */
export interface CounterRecord extends Bounds {
  /**
   * +1 for every accepted change. Never restarts: a counter that is not found begins at the clock.
   */
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

/** Whether these bounds allow this value. Also correct for the sum of two safe integers. */
export function isWithin(value: number, { floor, ceiling }: Bounds): boolean {
  if (!Number.isSafeInteger(value)) return false;
  return (floor === null || value >= floor) && (ceiling === null || value <= ceiling);
}

/** Whether any value at all lies between these bounds. */
export function areBounds({ floor, ceiling }: Bounds): boolean {
  return floor === null || ceiling === null || floor <= ceiling;
}
