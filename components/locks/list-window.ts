/** A stretch of the list's order. */
export interface ListWindow {
  offset: number;
  limit: number;
}

/** What the first paint brings, and a list that nobody scrolls needs. */
export const FIRST_WINDOW: ListWindow = { offset: 0, limit: 200 };

/** Of a list that is scrolled: enough for a flick of the wheel in both directions. */
const ROWS_MAX = 400;

/** How many rows before and after those in view are to be there already. */
const MARGIN = 60;

/**
 * The window to follow while these places are in view: the one of now for as long as it covers them and what is around
 * them, else one with them in its middle.
 *
 * @param view places of the first and the last row in view, from 0
 * @param count how many rows the list has
 */
export function windowFor(
  view: { first: number; last: number },
  now: ListWindow,
  count: number,
): ListWindow {
  const from = Math.max(0, view.first - MARGIN);
  const to = Math.min(count, view.last + 1 + MARGIN);
  if (now.offset <= from && now.offset + now.limit >= to) return now;
  const middle = Math.floor((view.first + view.last) / 2);
  const latest = Math.max(0, count - ROWS_MAX);
  return {
    offset: Math.max(0, Math.min(latest, middle - ROWS_MAX / 2)),
    limit: ROWS_MAX,
  };
}
