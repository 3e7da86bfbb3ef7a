import { sinceEra } from '../fencing-token';

/** Between which values a counter stays. Null: no bound of its own, so the exact integers are the bound. */
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
 * The whole truth about one counter. Small, versioned; changed only by `decideCounter`. It is never forgotten: unlike a
 * free lock, a counter that nobody touches still says something.
 * Invariants: the value is a safe integer, and lies within the bounds.
 */
export interface CounterRecord extends Bounds {
  /** +1 for every accepted change. Never restarts: a counter that is not found begins at the clock. */
  rev: number;
  value: number;
  createdAt: number;
  lastMove: CounterMove | null;
  /** Until when the store may remember answers that concern this counter; 0: it remembers none. */
  answersUntil: number;
}

/** The rev of a counter that is created now. */
export function firstRev(now: number): number {
  return sinceEra(now) + 1;
}

/** Whether a counter with these bounds may have this value. Sums of two safe integers are judged rightly, too. */
export function isWithin(value: number, { floor, ceiling }: Bounds): boolean {
  if (!Number.isSafeInteger(value)) return false;
  return (floor === null || value >= floor) && (ceiling === null || value <= ceiling);
}

/** Whether any value at all lies between these bounds. */
export function areBounds({ floor, ceiling }: Bounds): boolean {
  return floor === null || ceiling === null || floor <= ceiling;
}
