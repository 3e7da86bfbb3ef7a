/** A range of rows in the list's order. */
export interface ListWindow {
  offset: number;
  limit: number;
}

/** The window of the first paint, enough for a list that is not scrolled. */
export const FIRST_WINDOW: ListWindow = { offset: 0, limit: 200 };

/** The rows of a window of a scrolled list: enough for a flick of the wheel in both directions. */
const ROWS = 300;

/** The rows of a window on a screen that shows more than half of `ROWS`. No window is larger. */
const ROWS_MAX = 500;

/** How many rows before and after those in view are prepared, where there is room for them. */
const MARGIN = 60;

/** Windows begin at multiples of this, so that the server keeps fewer of them. */
const STEP = 50;

/**
 * The window to follow while these rows are in view: the present one while it covers them and their
 * surroundings, else one with them in its middle.
 *
 * @param view positions of the first and the last row in view, from 0
 * @param count how many rows the list has
 */
export function windowFor(
  { first, last }: { first: number; last: number },
  now: ListWindow,
  count: number,
): ListWindow {
  const size = last + 1 - first;
  const limit = size > ROWS / 2 ? ROWS_MAX : ROWS;
  const margin = Math.max(0, Math.min(MARGIN, (limit - STEP - size) / 2));
  const from = Math.max(0, first - margin);
  const to = Math.min(count, last + 1 + margin);
  if (now.offset <= from && now.offset + now.limit >= to) return now;
  const begin = Math.round((first + (size - limit) / 2) / STEP) * STEP;
  return { offset: Math.max(0, begin), limit };
}
