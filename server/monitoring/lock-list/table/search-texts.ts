import type { ProjectionRow } from '../../projection/projection-row';
import type { TimeSlice } from '../order/time-slice';

/** How many texts one call prepares at most, and how many rows it checks for that. */
const PREPARED_MAX = 1_500;
const CHECKED_MAX = 20_000;

const ROWS_PER_CHECK = 32;

/** Prepares the texts that searches read, in portions: all at the same time would take long. */
export class SearchTexts {
  private position = 0;

  prepareSome(rows: readonly (ProjectionRow | null)[], slice: TimeSlice): void {
    let left = PREPARED_MAX;
    const seen = Math.min(rows.length, CHECKED_MAX);
    for (let i = 0; i < seen && left > 0; i += 1) {
      this.position = (this.position + 1) % rows.length;
      if (rows[this.position]?.prepareSearchText()) left -= 1;
      if (i % ROWS_PER_CHECK === 0 && slice.isOver) return;
    }
  }
}
