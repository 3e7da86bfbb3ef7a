import type { Expectation } from '../../../core/decision';
import { CLOCK } from './sql-text';

/** The first and the last millisecond of the server's clock at which something may be applied. */
export interface TimeWindow {
  first: number;
  last: number;
}

/** Larger than every instant, and exact in SQL. */
const NEVER = Number.MAX_SAFE_INTEGER;

export function windowOf({ past, ahead }: Expectation): TimeWindow {
  return { first: past, last: Math.min(ahead, NEVER) - 1 };
}

/**
 * The window in which all of these changes may be applied; if there is none, `first` is after
 * `last`.
 */
export function sharedWindow(changes: readonly { clock: Expectation }[]): TimeWindow {
  let [past, ahead] = [0, NEVER];
  for (const { clock } of changes) {
    past = Math.max(past, clock.past);
    ahead = Math.min(ahead, clock.ahead);
  }
  return windowOf({ past, ahead });
}

/** Whether it has a beginning or an end. */
export function isLimited({ first, last }: TimeWindow): boolean {
  return first > 0 || last < NEVER - 1;
}

/** A condition on the server's clock, which is read when the condition is evaluated. */
export function clockIsIn({ first, last }: TimeWindow): string {
  return `${CLOCK} BETWEEN ${first} AND ${last}`;
}
