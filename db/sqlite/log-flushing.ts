/** Both make everything permanent that was written to the log before the call. */
export interface LogDescriptor {
  sync(): Promise<void>;
  /** On the thread of the event loop. */
  syncNow(): void;
}

/** What was written may not be on the disk, so nothing more is until the file is opened again. */
export class FlushFailed extends Error {
  override readonly name = 'FlushFailed';
  /** As SQLite itself says of such a disk. */
  readonly code = 'SQLITE_IOERR';
}

/** A flush of this length on the event loop delays nothing else noticeably. */
const QUICK_MS = 0.5;

/** By so much the flushes on the event loop may be slower than that, per flush of any kind. */
const SLOWER_MS = 0.01;

/** How much of that is saved for one that is slow. */
const SAVED_MS = 2;

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
  private readonly idle: LogDescriptor[];
  private readonly running = new Set<Promise<void>>();
  private next: Promise<void> | null = null;
  private failure: Promise<never> | null = null;
  /** Below zero, flushes on the event loop were slower than they may be. */
  private savedMs = 0;

  /**
   * @param log so many flushes run at once, each through a file descriptor of its own: the system
   *   reports a failed write once to each descriptor
   * @param monotonic in milliseconds
   */
  constructor(
    log: LogDescriptor[],
    private readonly monotonic: () => number,
  ) {
    this.idle = [...log];
  }

  get hasFailed(): boolean {
    return this.failure !== null;
  }

  /** Resolves when everything that was committed before the call is on the disk. */
  flush(): Promise<void> {
    if (this.failure) return this.failure;
    if (this.next) return this.next;
    const descriptor = this.idle.pop();
    if (descriptor) return this.begin(descriptor);
    this.next = this.afterFirst();
    return this.next;
  }

  /**
   * The same for a commit that no other is near: while no flush runs, and the disk is quick, on the
   * event loop. To hand a flush to a thread and back takes longer than a quick disk does.
   */
  async flushAlone(): Promise<void> {
    const [descriptor] = this.idle;
    const mayBeSlow = this.running.size > 0 || this.savedMs < 0;
    if (this.failure || !descriptor || mayBeSlow) return this.flush();
    this.save();
    const startedAt = this.monotonic();
    try {
      descriptor.syncNow();
    } catch (error) {
      throw this.fail(error);
    }
    this.savedMs -= Math.max(0, this.monotonic() - startedAt - QUICK_MS);
  }

  private save(): void {
    this.savedMs = Math.min(this.savedMs + SLOWER_MS, SAVED_MS);
  }

  private fail(cause: unknown): FlushFailed {
    const why = cause instanceof Error ? cause.message : String(cause);
    const error = new FlushFailed(`The disk failed to keep what was written: ${why}`, { cause });
    this.failure ??= Promise.reject(error);
    this.failure.catch(() => undefined);
    return error;
  }

  private async afterFirst(): Promise<void> {
    await Promise.race(this.running);
    this.next = null;
    await this.flush();
  }

  private begin(descriptor: LogDescriptor): Promise<void> {
    this.save();
    const flush = descriptor.sync().then(
      () => {
        this.running.delete(flush);
        this.idle.push(descriptor);
      },
      (error) => {
        throw this.fail(error);
      },
    );
    this.running.add(flush);
    return flush;
  }
}
