import type { SqlValue } from '@/db/database';
import type { HistoryRow } from '../../../storage/record-store';
import { PendingCommits } from '../../rollups/pending-commits';
import { turnsFor } from './commit-turns';
import { EventRows } from './event-rows';

/** The events of commits that are to be recorded, as the rows that they will be. */
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

  /** How many characters there are to write, about. */
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

  /** The rows of what is settled: the position can move past them. They are not kept here. */
  takeSettled(): Iterable<SqlValue[]> {
    return this.settled.take();
  }

  /** The newest commit behind a gap; null: there is none. */
  get aheadTo(): number | null {
    return this.ahead.newest;
  }

  /** The rows of what is behind a gap. They may be recorded again, by another process. */
  takeAhead(): Iterable<SqlValue[]> {
    const rows = new EventRows(this.backend);
    for (const commit of this.ahead.takeRest()) rows.add(commit);
    return rows.take();
  }
}
