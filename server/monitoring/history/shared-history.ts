import type { Clock } from '../../platform/clock';
import type { Change, HistoryRow, HistorySource, SwapResult } from '../../storage/record-store';

/** A tail that has not asked for this long counts as gone: nothing is kept for it. */
const ASKS_WITHIN_MS = 10_000;

/** Limits of what is kept for tails that are behind. */
const KEPT_ROWS_MAX = 10_000;
const KEPT_EVENTS_MAX = 100_000;

/** A row that a tail has yet to read. */
interface KeptRow {
  row: HistoryRow;
  events: number;
}

/** How far a tail has read. */
interface TailPosition {
  /** The id after which it reads next. */
  passed: number;
  /** When it last asked or was answered, on the monotonic clock. */
  askedAt: number;
}

/**
 * A store's history for the tails of this process. Rows that this process has written, or that one
 * tail has read, are served from memory until every tail has had them, within limits, so that most
 * rows are never read from the store and the others once. Delivers what the store would, and also
 * rows that it has lost since. This process's own events are delivered as they were decided, with
 * the empty facts that a store leaves out. No reader may change a row.
 */
export class SharedHistory {
  /** By id, in the order in which they were added. */
  private readonly kept = new Map<number, KeptRow>();
  private keptEvents = 0;
  private readonly tails = new Set<TailPosition>();
  /** The position that all tails had passed when rows were last forgotten. */
  private forgotTo = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly source: HistorySource,
    private readonly clock: Pick<Clock, 'monotonic'>,
  ) {}

  /** Returns the history for one more tail. */
  forTail(): HistorySource {
    const tail = { passed: Number.NEGATIVE_INFINITY, askedAt: this.clock.monotonic() };
    this.tails.add(tail);
    return {
      historyAfter: (position, limit) => this.historyAfter(tail, position, limit),
      historyOf: (ids) => this.source.historyOf(ids),
      historyEnd: () => this.source.historyEnd(),
      pruneHistory: (position, before) => this.source.pruneHistory(position, before),
    };
  }

  /**
   * Keeps the history of what this process has committed to the store.
   *
   * @param changes of one call
   * @param results the store's answers to it
   */
  readonly noteSwap = (changes: readonly Change[], results: readonly SwapResult[]): void => {
    const rows = new Map<number, HistoryRow>();
    for (const [i, { applied, now, historyId }] of results.entries()) {
      const { key, rev, events, eventTexts } = changes[i] as Change;
      if (!applied || historyId === undefined || events.length === 0) continue;
      const change = { key, rev, events, eventTexts };
      const row = rows.get(historyId);
      if (row) row.changes.push(change);
      else rows.set(historyId, { id: historyId, at: now, changes: [change] });
    }
    for (const row of rows.values()) this.keep(row);
    this.forgetPassed();
  };

  private async historyAfter(
    tail: TailPosition,
    position: number,
    limit: number,
  ): Promise<HistoryRow[]> {
    this.noteAsking(tail, position);
    const known = this.following(position, limit);
    const from = known.at(-1)?.id ?? position;
    const missing = limit - known.length;
    const fresh = missing > 0 ? await this.source.historyAfter(from, missing) : [];
    this.noteAsking(tail, fresh.at(-1)?.id ?? from);
    for (const row of fresh) this.keep(row);
    this.forgetPassed();
    return [...known, ...fresh];
  }

  private noteAsking(tail: TailPosition, passed: number): void {
    this.tails.add(tail);
    tail.passed = passed;
    tail.askedAt = this.clock.monotonic();
  }

  /**
   * The kept rows after a position, up to the first id that is not kept: its row can have become
   * visible since, and the tail must see every row that is visible by now.
   */
  private following(position: number, limit: number): HistoryRow[] {
    const rows: HistoryRow[] = [];
    while (rows.length < limit) {
      const next = this.kept.get(position + rows.length + 1);
      if (!next) return rows;
      rows.push(next.row);
    }
    return rows;
  }

  /** Keeps a row that a tail has yet to get. */
  private keep(row: HistoryRow): void {
    // Tails may have read it before this process knew that it had written it.
    if (this.kept.has(row.id) || row.id <= this.passedByAll()) return;
    const events = row.changes.reduce((sum, change) => sum + change.events.length, 0);
    this.kept.set(row.id, { row, events });
    this.keptEvents += events;
  }

  /** The id up to which every active tail has had the rows. Forgets the other tails. */
  private passedByAll(): number {
    const before = this.clock.monotonic() - ASKS_WITHIN_MS;
    let passed = Number.POSITIVE_INFINITY;
    for (const tail of this.tails) {
      if (tail.askedAt <= before) this.tails.delete(tail);
      else passed = Math.min(passed, tail.passed);
    }
    return passed;
  }

  private get isOverLimit(): boolean {
    return this.kept.size > KEPT_ROWS_MAX || this.keptEvents > KEPT_EVENTS_MAX;
  }

  /** Forgets the rows that all tails have passed, and the oldest of too many. */
  private forgetPassed(): void {
    const passed = this.passedByAll();
    // Finding the next entry of a map whose first entries were deleted is slow.
    if (passed === this.forgotTo && !this.isOverLimit) return;
    this.forgotTo = passed;
    for (const [id, { events }] of this.kept) {
      if (id > passed && !this.isOverLimit) return;
      this.kept.delete(id);
      this.keptEvents -= events;
    }
  }
}
