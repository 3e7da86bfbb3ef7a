import { LogLost } from './rewrite-log';

/** A file descriptor of the log. Both calls make permanent all that was written before them. */
export interface LogDescriptor {
  sync(): Promise<void>;
  /** Blocks the event loop meanwhile. */
  syncNow(): void;
}

/** Written data may not be on the disk. Nothing is acknowledged until it has been rewritten. */
export class FlushFailed extends Error {
  override readonly name = 'FlushFailed';
  /** The code that SQLite itself uses for such a disk. */
  readonly code = 'SQLITE_IOERR';
}

/** A flush of this length on the event loop delays nothing else noticeably. */
const QUICK_MS = 0.5;

/** Each flush of any kind allows flushes on the event loop to exceed `QUICK_MS` by this much. */
const SLOWER_MS = 0.01;

/** The most of that allowance that accumulates. */
const SAVED_MS = 2;

/** How long after an attempt to rewrite the log the next flush begins another. */
const RETRY_AFTER_MS = 1_000;

/**
 * Flushes a write-ahead log to the disk, off the event loop, for many commits at a time.
 *
 * A flush covers what was committed before it began. A commit starts one immediately if a file
 * descriptor is idle; all commits that find none share the next flush.
 *
 * A flush that fails may have lost what it should have written, and a later one would succeed
 * without it. So after a failure every flush fails, until all that the log holds has been rewritten
 * and flushed. The next flush begins that, and does not wait for it.
 */
export class LogFlushing {
  private readonly idle: LogDescriptor[];
  private readonly running = new Set<Promise<void>>();
  private next: Promise<void> | null = null;
  private failure: Promise<never> | null = null;
  /** The remaining allowance for slow flushes on the event loop; below zero it is exceeded. */
  private savedMs = 0;
  private repairing: Promise<void> | null = null;
  private repairedAt = Number.NEGATIVE_INFINITY;
  /** Why the log cannot be rewritten; null: it can, as far as is known. */
  private lost: LogLost | null = null;

  /**
   * @param log file descriptors, each for one flush at a time: the system reports a failed write
   *   once to each descriptor
   * @param monotonic in milliseconds
   * @param rewrite rewrites all that the log holds, and then runs the given function, while nothing
   *   else is written; may reject with `LogLost`
   */
  constructor(
    log: LogDescriptor[],
    private readonly monotonic: () => number,
    private readonly rewrite: (flushAll: () => Promise<void>) => Promise<void>,
  ) {
    this.idle = [...log];
  }

  get hasFailed(): boolean {
    return this.failure !== null;
  }

  /** Resolves when everything that was committed before the call is on the disk. */
  flush(): Promise<void> {
    if (this.failure) {
      this.repairIfDue();
      return this.failure;
    }
    if (this.next) return this.next;
    const descriptor = this.idle.pop();
    if (descriptor) return this.begin(descriptor);
    this.next = this.afterFirst();
    return this.next;
  }

  /** Resolves when no attempt to rewrite the log is under way. Never rejects. */
  async settled(): Promise<void> {
    await this.repairing;
  }

  /**
   * As `flush`, for a commit without others near it. If no flush runs and the disk is quick, it
   * blocks the event loop, since handing a flush to a thread and back takes longer than a quick
   * disk does.
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
    const error = new FlushFailed(`A write did not reach the disk: ${why}`, { cause });
    this.failure ??= Promise.reject(error);
    this.failure.catch(() => undefined);
    return error;
  }

  private repairIfDue(): void {
    const isDue = this.monotonic() - this.repairedAt >= RETRY_AFTER_MS;
    if (this.repairing || this.lost || !isDue) return;
    this.repairing = this.repair()
      .catch((cause: unknown) => {
        if (cause instanceof LogLost) this.lose(cause);
      })
      .finally(() => {
        this.repairedAt = this.monotonic();
        this.repairing = null;
      });
  }

  private async repair(): Promise<void> {
    await Promise.allSettled(this.running);
    const log = [...this.idle];
    // A descriptor that has not flushed since the failure reports it only now.
    await Promise.allSettled(log.map((descriptor) => descriptor.sync()));
    await this.rewrite(async () => {
      await Promise.all(log.map((descriptor) => descriptor.sync()));
      this.failure = null;
    });
  }

  private lose(cause: LogLost): void {
    this.lost = cause;
    this.failure = null;
    this.fail(cause);
  }

  private async afterFirst(): Promise<void> {
    try {
      await Promise.race(this.running);
    } finally {
      this.next = null;
    }
    await this.flush();
  }

  private begin(descriptor: LogDescriptor): Promise<void> {
    this.save();
    const flush = descriptor
      .sync()
      .catch((error) => {
        throw this.fail(error);
      })
      .finally(() => {
        this.running.delete(flush);
        this.idle.push(descriptor);
      });
    this.running.add(flush);
    return flush;
  }
}
