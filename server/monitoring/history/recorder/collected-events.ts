import type { SqlValue } from '@/db/database';
import type { HistoryRow } from '../../../storage/record-store';
import { PendingCommits } from '../../rollups/pending-commits';
import { turnsFor } from './commit-turns';
import { EventRows } from './event-rows';

/** Collects the events of commits as rows, until they are written. */
export class CollectedEvents {
  private readonly settled: EventRows;
  /** Commits behind a gap that may still be filled. */
  private readonly ahead = new PendingCommits();

  /** @param recordedTo commits up to here are recorded already */
  constructor(
    private readonly backend: string,
    private readonly recordedTo: number,
  ) {
    this.settled = new EventRows(backend);
  }

  /** The approximate number of characters to write. */
  get chars(): number {
    return this.settled.chars;
  }

  /**
   * Adds commits, which may come in any order.
   *
   * @param position no commit up to this id will appear any more
   */
  async add(commits: readonly HistoryRow[], position: number): Promise<void> {
    const fresh = commits.filter(({ id }) => id > this.recordedTo);
    const turns = turnsFor(fresh);
    for (const commit of this.ahead.settle(fresh, position)) {
      if (turns.isOver) await turns.pause();
      this.settled.add(commit);
      turns.count(commit.changes.length);
    }
  }

  /** Removes and returns the settled rows, which the position can move past. */
  takeSettled(): Iterable<SqlValue[]> {
    return this.settled.take();
  }

  /** The newest commit behind a gap; null: there is none. */
  get aheadTo(): number | null {
    return this.ahead.newest;
  }

  /** Removes and returns the rows behind a gap. Another process may record them again. */
  takeAhead(): Iterable<SqlValue[]> {
    const rows = new EventRows(this.backend);
    for (const commit of this.ahead.takeRest()) rows.add(commit);
    return rows.take();
  }
}
