import type { Log } from '../../../platform/log';
import type { HistoryRow } from '../../../storage/record-store';

/** Counts the commits of one history that are unreadable, and logs them. */
export class UnreadableCommits {
  private counted = 0;
  private notedTo = 0;

  /** @param log absent: nothing is logged */
  constructor(
    private readonly store: string,
    private readonly log: Pick<Log, 'warn'> | undefined,
  ) {}

  /** How many were noted in this process. */
  get count(): number {
    return this.counted;
  }

  /** Notes those among commits that were read, each once, however often it is read. */
  note(commits: readonly HistoryRow[]): void {
    const found = commits.filter(({ id, isUnreadable }) => isUnreadable && id > this.notedTo);
    if (found.length === 0) return;
    const ids = found.map(({ id }) => id);
    this.notedTo = Math.max(...ids);
    this.counted += ids.length;
    const { store } = this;
    this.log?.warn({ store, ids }, 'Commits are unreadable, so their events are not recorded');
  }
}
