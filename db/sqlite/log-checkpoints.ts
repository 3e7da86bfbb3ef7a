import LogConnection from 'libsql/promise';
import type { LogIndex } from './log-index';

/** When the log has grown by this many pages, its content is moved to the file. */
const DUE_PAGES = 4_000;

/** A log of this length begins again even if writes have to wait for that. */
const LONG_PAGES = 12_000;

/** A further pass moves what was written during a pass, if it is more than this many pages. */
const FEW_PAGES = 200;

/** The log may grow faster than it is moved. */
const PASSES_MAX = 4;

const PASS = 'pragma wal_checkpoint(passive)';

/**
 * Moves what is in the write-ahead log to the file, on a thread of its own: it flushes twice, and
 * on the thread of the event loop everything else would wait for that.
 *
 * Writes go on meanwhile. One that comes while all that is in the log is in the file begins the log
 * again; where none did and the log is long, writes wait for one more pass, which takes as long as
 * the disk does for two flushes. While a reader keeps an old snapshot, or the disk is full, the log
 * cannot begin again; it grows, and is moved again after as many pages more.
 */
export class LogCheckpoints {
  private readonly connection: LogConnection;
  /** How long the log was when it was last moved. */
  private movedAt = 0;
  private running: Promise<void> | null = null;

  /**
   * @param path of the file, which is open and has its log
   * @param index of that log
   * @param whileNothingIsWritten runs work between two writes
   */
  constructor(
    path: string,
    private readonly index: LogIndex,
    private readonly whileNothingIsWritten: (work: () => Promise<void>) => Promise<void>,
  ) {
    this.connection = new LogConnection(path, {});
  }

  /** Whether the log is being moved: the disk is busy then. */
  get isMoving(): boolean {
    return this.running !== null;
  }

  /** To be called after each write. Begins to move the log where that is due. */
  afterWrite(): void {
    if (this.running) return;
    const length = this.index.pages();
    if (length < this.movedAt) this.movedAt = 0;
    if (length - this.movedAt < DUE_PAGES) return;
    this.running = this.moveAll()
      // Everything is still in the log, and the next attempt moves it.
      .catch(() => undefined)
      .finally(() => {
        this.movedAt = this.index.pages();
        this.running = null;
      });
  }

  async close(): Promise<void> {
    await this.running;
    this.connection.close();
  }

  private async moveAll(): Promise<void> {
    for (let pass = 1; pass < PASSES_MAX; pass += 1) {
      const moved = this.index.pages();
      await this.connection.exec(PASS);
      if (this.index.pages() - moved < FEW_PAGES) break;
    }
    if (this.index.pages() < LONG_PAGES) return;
    await this.whileNothingIsWritten(() => this.connection.exec(PASS));
  }
}
