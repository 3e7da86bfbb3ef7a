import { HISTORY_GAP_TIMEOUT_MS } from '../../core/timing';
import type { Clock } from '../../platform/clock';
import type { HistoryRow, HistorySource } from '../../storage/record-store';

const ROWS_AT_ONCE = 200;

/** How far below a visible id others can still appear: fewer writes than this are in flight. */
const GAP_REACH = 10_000;

/**
 * Follows a store's history. Every row is delivered once, as soon as it is visible; rows can be out
 * of order, since a smaller id can become visible after a larger one. `position` never passes a gap
 * that can still be filled, so a reader that resumes there misses nothing and sees some rows twice.
 */
export class HistoryTail {
  /** Highest id seen. */
  private end: number;
  private sawAll = false;
  /** Ids below `end` that were not seen, each with the instant at which it was first missed. */
  private readonly gaps = new Map<number, number>();

  /** @param from the first row delivered is the one after this id */
  constructor(
    private readonly source: HistorySource,
    private readonly clock: Clock,
    from: number,
  ) {
    this.end = from;
  }

  /** Where to resume: every row up to here was delivered, or will never exist. */
  get position(): number {
    const [firstGap] = this.gaps.keys();
    return firstGap === undefined ? this.end : Math.min(firstGap - 1, this.end);
  }

  /** Whether the last `poll` delivered every row that was visible when it began. */
  get isAtEnd(): boolean {
    return this.sawAll;
  }

  /**
   * Rows that have become visible since the last call; empty if there are none. A gap is given up
   * only if it was old enough when the call began: during a slow call its row can have become
   * visible unseen.
   */
  async poll(): Promise<HistoryRow[]> {
    this.sawAll = false;
    const startedAt = this.clock.monotonic();
    const late = this.gaps.size > 0 ? await this.source.historyOf([...this.gaps.keys()]) : [];
    const fresh = await this.source.historyAfter(this.end, ROWS_AT_ONCE);
    const now = this.clock.monotonic();
    for (const row of late) this.gaps.delete(row.id);
    for (const [id, missedAt] of this.gaps) {
      if (startedAt - missedAt >= HISTORY_GAP_TIMEOUT_MS) this.gaps.delete(id);
    }
    for (const { id } of fresh) {
      const from = Math.max(this.end + 1, id - GAP_REACH);
      for (let missing = from; missing < id; missing += 1) this.gaps.set(missing, now);
      this.end = id;
    }
    this.sawAll = fresh.length < ROWS_AT_ONCE;
    return [...late, ...fresh];
  }
}
