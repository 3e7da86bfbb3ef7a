import type { HistoryRow, HistorySource } from '../../storage/record-store';

/** A history that a test makes: its commits are in the order of their ids. */
export class MemoryHistory implements HistorySource {
  readonly rows: HistoryRow[] = [];

  async historyAfter(position: number, limit: number): Promise<HistoryRow[]> {
    return this.rows.filter(({ id }) => id > position).slice(0, limit);
  }

  async historyOf(ids: number[]): Promise<HistoryRow[]> {
    return this.rows.filter(({ id }) => ids.includes(id));
  }

  async historyEnd(): Promise<number> {
    return this.rows.at(-1)?.id ?? 0;
  }

  async pruneHistory(): Promise<number> {
    return 0;
  }
}
