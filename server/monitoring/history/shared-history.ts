import type { Clock } from '../../platform/clock';
import type { HistoryRow, HistorySource } from '../../storage/record-store';

/** The other tail asks for a row at most this much later; else it reads it from the store. */
const KEPT_FOR_MS = 1_000;
const KEPT_MAX = 2_000;

/**
 * A store's history for two tails of this process: what one has read the other gets from memory, so
 * that a row is mostly read and decoded once. Delivers what the store would. No reader may
 * change a row.
 */
export class SharedHistory implements HistorySource {
  /** Rows that one tail has read, by id, the earliest reading first. */
  private readonly kept = new Map<number, { row: HistoryRow; readAt: number }>();

  constructor(
    private readonly source: HistorySource,
    private readonly clock: Pick<Clock, 'monotonic'>,
  ) {}

  async historyAfter(position: number, limit: number): Promise<HistoryRow[]> {
    this.forgetOld();
    const known = this.takeFollowing(position, limit);
    if (known.length === limit) return known;
    const fresh = await this.source.historyAfter(
      known.at(-1)?.id ?? position,
      limit - known.length,
    );
    this.keep(fresh);
    return known.length > 0 ? [...known, ...fresh] : fresh;
  }

  historyOf(ids: number[]): Promise<HistoryRow[]> {
    return this.source.historyOf(ids);
  }

  historyEnd(): Promise<number> {
    return this.source.historyEnd();
  }

  pruneHistory(position: number, before: number): Promise<number> {
    return this.source.pruneHistory(position, before);
  }

  /**
   * Only up to the first id that is not kept: its row may have become visible since, and the tail
   * must see every row that is visible by now.
   */
  private takeFollowing(position: number, limit: number): HistoryRow[] {
    const rows: HistoryRow[] = [];
    while (rows.length < limit) {
      const id = position + rows.length + 1;
      const next = this.kept.get(id);
      if (!next) return rows;
      this.kept.delete(id);
      rows.push(next.row);
    }
    return rows;
  }

  private keep(rows: readonly HistoryRow[]): void {
    const readAt = this.clock.monotonic();
    for (const row of rows) this.kept.set(row.id, { row, readAt });
    for (const id of this.kept.keys()) {
      if (this.kept.size <= KEPT_MAX) return;
      this.kept.delete(id);
    }
  }

  private forgetOld(): void {
    const before = this.clock.monotonic() - KEPT_FOR_MS;
    for (const [id, { readAt }] of this.kept) {
      if (readAt > before) return;
      this.kept.delete(id);
    }
  }
}
