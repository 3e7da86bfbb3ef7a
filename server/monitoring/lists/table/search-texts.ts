import type { BoardRow } from '../../projection/projection-row';
import type { TimeSlice } from '../order/time-slice';

/** How many texts are made in one call, and how many rows are checked for that. */
const MADE_AT_ONCE = 1_500;
const SEEN_AT_ONCE = 20_000;

const ROWS_A_LOOK = 32;

/**
 * Prepares the texts that searches read, some at a time: a search that had to make all of them
 * would take long.
 */
export class SearchTexts {
  private place = 0;

  makeSome(rows: readonly (BoardRow | null)[], slice: TimeSlice): void {
    let left = MADE_AT_ONCE;
    const seen = Math.min(rows.length, SEEN_AT_ONCE);
    for (let i = 0; i < seen && left > 0; i += 1) {
      this.place = (this.place + 1) % rows.length;
      if (rows[this.place]?.makeSearchable()) left -= 1;
      if (i % ROWS_A_LOOK === 0 && slice.isOver) return;
    }
  }
}
