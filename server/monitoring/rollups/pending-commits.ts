import type { HistoryRow } from '../../storage/record-store';

/** Commits that were read, in any order, until all before them are known. */
export class PendingCommits {
  private pending: HistoryRow[] = [];

  /** The id of the newest commit; null: there is none. */
  get newest(): number | null {
    return this.pending.length === 0 ? null : Math.max(...this.pending.map(({ id }) => id));
  }

  /**
   * Adds commits, and removes and returns those up to a position, in the order of their ids.
   *
   * @param position no commit up to this id will appear any more
   */
  settle(commits: readonly HistoryRow[], position: number): HistoryRow[] {
    const all = [...this.pending, ...commits];
    this.pending = all.filter(({ id }) => id > position);
    return all.filter(({ id }) => id <= position).sort(byId);
  }

  /** Removes and returns the rest, in the same order. */
  takeRest(): HistoryRow[] {
    const rest = this.pending.sort(byId);
    this.pending = [];
    return rest;
  }
}

const byId = (a: HistoryRow, b: HistoryRow) => a.id - b.id;
