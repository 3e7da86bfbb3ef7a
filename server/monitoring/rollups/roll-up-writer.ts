import type { Database, RawStatement, SqlValue } from '@/db/database';
import type { CounterEvent } from '../../core/counter/counter-event';
import { isRolledUp } from '../../core/statistics/minute-rollup';
import type { Clock } from '../../platform/clock';
import { isOwnRecord, recordId } from '../../storage/record-id';
import type { HistoryRow } from '../../storage/record-store';
import { turnsFor } from '../history/recorder/commit-turns';
import { TimeSlice } from '../lock-list/order/time-slice';
import type { EventTally } from '../metrics/event-tally';
import { PendingCommits } from './pending-commits';
import { SHARES, shareOf } from './rollup-cursors';
import type { RollupTarget } from './rollup-rows';
import { RollupShare, type RunStep, type Step } from './rollup-share';

/** Few rows are written soon, in one transaction. */
const SMALL_ROWS = 200;
const SMALL_AFTER_MS = 1_000;

/** Many rows are collected for longer, so that fewer are written in total. */
const LARGE_AFTER_MS = 15_000;

/** A share with this many rows is full, and written next. */
const SHARE_ROWS_MAX = 2_000;

/** What is common to all steps of a write. */
type WritePlace = Pick<RollupTarget, 'kind' | 'backend' | 'countedTo'>;

/**
 * Makes the roll-ups of one backend from its history: counts in memory, and writes periodically.
 *
 * Every event is counted once, despite restarts and other processes doing the same: commits are
 * counted in the order of their ids, and the transaction that writes sums also moves their cursor
 * from where counting began to where it ended. If the cursor is not where this process left it,
 * another process has counted these events, and nothing is written.
 */
export class RollUpWriter {
  private readonly shares: RollupShare[];
  /** Every commit up to here is counted. */
  private counted = 0;
  /** Commits behind a gap that may still be filled. */
  private ahead = new PendingCommits();
  /**
   * When the last write ended, failed or not, on the monotonic clock; at first, when this was
   * created. `begin` does not reset it.
   */
  private writtenAt: number;
  private guard: RawStatement | null = null;

  /**
   * @param tally receives what this process has written
   * @param isEmbedded whether locks share the queue for writes
   */
  constructor(
    private readonly database: Database,
    private readonly backend: string,
    private readonly clock: Clock,
    private readonly tally: EventTally,
    private readonly isEmbedded = false,
  ) {
    this.shares = Array.from({ length: SHARES }, (_, i) => new RollupShare(backend, i));
    this.writtenAt = clock.monotonic();
  }

  /** Every commit up to here is in the database's sums. */
  get position(): number {
    return Math.min(...this.shares.map(({ written }) => written));
  }

  /**
   * Begins at the stored cursors, and forgets what was not written.
   *
   * @param from where to begin if there is no cursor yet
   * @param guard a statement of each write, which fails if the guard does
   */
  async begin(from: number, guard: RawStatement | null = null): Promise<void> {
    const { raw } = this.database;
    this.guard = guard;
    for (const share of this.shares) await raw.transaction((ask) => share.begin(ask, from));
    this.counted = this.position;
    this.ahead = new PendingCommits();
  }

  /**
   * Counts new commits. Writes full shares before it counts more, and then what is due.
   *
   * @param settled as of `count`
   * @throws as `writeDue` does
   */
  async take(rows: readonly HistoryRow[], settled: number): Promise<void> {
    await this.countEach(rows, settled, () => this.writeFull());
    await this.writeDue();
  }

  /**
   * Counts new commits, even while others are written.
   *
   * @param settled no commit up to this id will appear any more
   */
  count(rows: readonly HistoryRow[], settled: number): Promise<void> {
    return this.countEach(rows, settled, async () => undefined);
  }

  /** Whether so much is counted that it must be written before more is counted. */
  get isFull(): boolean {
    return this.shares.some(isFull);
  }

  /**
   * Writes the counts that are due.
   *
   * @throws if the database refuses, or another process has counted meanwhile: call `begin` again
   */
  async writeDue(): Promise<void> {
    await this.writeFull();
    const passedMs = this.clock.monotonic() - this.writtenAt;
    const rows = this.shares.reduce((sum, share) => sum + share.rows, 0);
    if (rows > 0 && rows <= SMALL_ROWS && passedMs >= SMALL_AFTER_MS) {
      await this.write(this.shares);
    } else if (passedMs >= LARGE_AFTER_MS && this.position < this.counted) {
      for (const share of this.shares) await this.write([share]);
    }
  }

  private async writeFull(): Promise<void> {
    for (const share of this.shares) if (isFull(share)) await this.write([share]);
  }

  private async countEach(
    rows: readonly HistoryRow[],
    settled: number,
    afterEach: () => Promise<void>,
  ): Promise<void> {
    const fresh = rows.filter(({ id }) => id > this.counted);
    const turns = turnsFor(fresh);
    for (const row of this.ahead.settle(fresh, settled)) {
      if (turns.isOver) await turns.pause();
      turns.count(row.changes.length);
      this.countRow(row);
      this.counted = row.id;
      await afterEach();
    }
    this.counted = Math.max(this.counted, settled);
  }

  private countRow({ id, changes }: HistoryRow): void {
    for (const { key, events } of changes) {
      if (isOwnRecord(key)) continue;
      if (key.kind === 'counter') {
        this.countCounter(id, recordId(key), events as CounterEvent[]);
        continue;
      }
      const rolledUp = events.filter(isRolledUp);
      if (rolledUp.length === 0) continue;
      const lockId = recordId(key);
      const { share, part } = shareOf(lockId);
      this.shares[share]?.count(id, { namespace: key.namespace, lockId, part }, rolledUp);
    }
  }

  private countCounter(id: number, counterId: string, events: CounterEvent[]): void {
    const { share, part } = shareOf(counterId);
    this.shares[share]?.countCounter(id, { counterId, part }, events);
  }

  /** Writes those of the shares that are not written up to the last counted commit. */
  private async write(all: RollupShare[]): Promise<void> {
    const { counted: to } = this;
    const shares = all.filter(({ written }) => written < to);
    for (const share of shares) share.beginWrite();
    // Dozens of steps without pauses would delay every call.
    const slice = new TimeSlice(() => this.clock.monotonic());
    const rest = () => slice.pause();
    const place = this.placeOf(to);
    const writeMany: RunStep = (work) => this.writeMany(place, work);
    try {
      for (const share of shares) await share.writeParts(writeMany, to, rest);
      await this.writeInTransaction(place, (target) => RollupShare.writeRest(shares, target, to));
      for (const share of shares) this.tally.addAll(share.endWrite(to));
    } finally {
      this.writtenAt = this.clock.monotonic();
    }
    await rest();
  }

  private placeOf(to: number): WritePlace {
    const countedTo = Math.max(to, ...this.shares.map(({ writtenFurthest }) => writtenFurthest));
    return { kind: this.database.kind, backend: this.backend, countedTo };
  }

  /** On the thread of the event loop, SQLite would block everything else meanwhile. */
  private writeMany(place: WritePlace, work: Step): Promise<void> {
    const isAside = this.database.kind === 'sqlite' && !this.isEmbedded;
    return isAside ? this.writeAside(place, work) : this.writeInTransaction(place, work);
  }

  private writeInTransaction(place: WritePlace, work: Step): Promise<void> {
    return this.database.raw.transaction(async (ask) => {
      const moveCursor = async (id: string, from: number, to: number) => {
        const move = 'UPDATE cursors SET position = ? WHERE id = ? AND position = ?';
        const { affected } = await ask(move, [to, id, from]);
        if (affected !== 1) throw new Error(`Another process has moved the cursor ${id}.`);
      };
      if (this.guard) await ask(this.guard.sql, this.guard.values);
      await work({ ...place, read: ask, write: ask, moveCursor });
    });
  }

  /**
   * Reads first, and then writes off the event loop. No other process has the file, and a step of
   * an earlier turn of this one fails on its guard. No row may be written twice in a step.
   */
  private async writeAside(place: WritePlace, work: Step): Promise<void> {
    const { raw } = this.database;
    const statements: RawStatement[] = this.guard ? [this.guard] : [];
    const write = async (sql: string, values: SqlValue[]) => {
      statements.push({ sql, values });
    };
    // A cursor that is not at `from` would get no id, which fails.
    const move =
      'UPDATE cursors SET id = CASE WHEN position = ? THEN id END, position = ? WHERE id = ?';
    const moveCursor = (id: string, from: number, to: number) => write(move, [from, to, id]);
    await work({ ...place, read: raw.ask, write, moveCursor });
    await raw.batch(statements, true);
  }
}

const isFull = ({ rows }: RollupShare) => rows >= SHARE_ROWS_MAX;
