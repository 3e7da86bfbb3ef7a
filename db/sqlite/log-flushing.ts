/** Makes everything permanent that was written to the log before the call. */
export type Sync = () => Promise<void>;

/**
 * Flushes a write-ahead log to the disk, off the event loop, for many commits at a time.
 *
 * A flush covers what was committed before it began. A commit begins one at once where one can run;
 * all commits that find none share the next.
 *
 * One that fails may have lost what it should have written, and a later one would succeed without
 * it: after a failure every flush fails, until the file is opened again.
 */
export class LogFlushing {
  private readonly idle: Sync[];
  private readonly running = new Set<Promise<void>>();
  private next: Promise<void> | null = null;
  private failure: Promise<never> | null = null;

  /**
   * @param syncs so many flushes run at once, each through a file descriptor of its own: the
   *   system reports a failed write once to each descriptor
   */
  constructor(syncs: Sync[]) {
    this.idle = [...syncs];
  }

  get hasFailed(): boolean {
    return this.failure !== null;
  }

  /** Resolves when everything that was committed before the call is on the disk. */
  flush(): Promise<void> {
    if (this.failure) return this.failure;
    if (this.next) return this.next;
    const sync = this.idle.pop();
    if (sync) return this.begin(sync);
    this.next = this.afterFirst();
    return this.next;
  }

  private async afterFirst(): Promise<void> {
    await Promise.race(this.running);
    this.next = null;
    await this.flush();
  }

  private begin(sync: Sync): Promise<void> {
    const flush = sync().then(
      () => {
        this.running.delete(flush);
        this.idle.push(sync);
      },
      (error) => {
        this.failure ??= Promise.reject(error);
        this.failure.catch(() => undefined);
        throw error;
      },
    );
    this.running.add(flush);
    return flush;
  }
}
