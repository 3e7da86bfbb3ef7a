import LogConnection from 'libsql/promise';
import type { LogIndex } from './log-index';

/** When the log has grown by this many pages, they are moved to the file. */
const DUE_PAGES = 4_000;

/** A log of this length is restarted even if writes have to wait for that. */
const LONG_PAGES = 12_000;

/** If at least this many pages were written during a pass, another pass follows. */
const FEW_PAGES = 200;

/** A limit, since the log may grow faster than it is moved. */
const PASSES_MAX = 4;

const PASS = 'pragma wal_checkpoint(passive)';
const LAST_PASS = 'pragma wal_checkpoint(truncate)';

/**
 * Moves the content of the write-ahead log to the file, on a thread of its own: each pass flushes
 * twice, and on the thread of the event loop everything else would wait for that.
 *
 * Writes continue meanwhile. A write that finds the whole log in the file restarts the log. If none
 * did and the log is long, writes wait for one more pass, which takes as long as two flushes. While
 * a reader keeps an old snapshot, or the disk is full, the log cannot restart: it grows, and is
 * moved again after another `DUE_PAGES`.
 */
export class LogCheckpoints {
  private readonly connection: LogConnection;
  /** How long the log was when it was last moved. */
  private movedAt = 0;
  private running: Promise<void> | null = null;

  /**
   * @param path the path of the file, which is open and has a log
   * @param index the index of that log
   * @param whileNothingIsWritten runs work between two writes
   */
  constructor(
    path: string,
    private readonly index: LogIndex,
    private readonly whileNothingIsWritten: (work: () => Promise<void>) => Promise<void>,
  ) {
    this.connection = new LogConnection(path, {});
  }

  /** Whether the log is being moved, which keeps the disk busy. */
  get isMoving(): boolean {
    return this.running !== null;
  }

  /** Call it after each write. Begins to move the log if that is due. */
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

  /**
   * Moves all of the log to the file, which then has everything without it. Call it while nothing
   * is written. While another program reads the file, or on a full disk, it stays in the log.
   */
  async moveLast(): Promise<void> {
    await this.running;
    await this.connection.exec(LAST_PASS).catch(() => undefined);
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
