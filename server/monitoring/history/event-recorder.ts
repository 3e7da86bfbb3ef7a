import { setImmediate } from 'node:timers/promises';
import { and, eq, gt, type SQL } from 'drizzle-orm';
import type { Database, RawStatement, SqlValue } from '@/db/database';
import { DEFAULT_RETENTION } from '../../core/retention';
import type { Clock } from '../../platform/clock';
import type { HistoryRow, HistorySource, RecordStore } from '../../storage/record-store';
import { recordedCursor } from '../../storage/recorded-position';
import type { EventTally } from '../metrics/event-tally';
import { RollUpWriter } from '../rollups/roll-up-writer';
import { EventRows, insertionsOf } from './event-rows';
import { HistoryTail } from './history-tail';
import { pruneRecorded } from './prune-recorded';

/** How often history is read in one go, so that a busy backend is caught up with. */
const ROUNDS_MAX = 50;

/** Rows written in one transaction. In SQLite locks wait for as long. */
const ROWS_PER_TRANSACTION = 200;

/**
 * The same in SQLite where no locks are: the more rows, the less it writes, as most of them change
 * another page of the index by lock.
 */
const ROWS_PER_TRANSACTION_ASIDE = 1_000;

/** Changes after which the rows of their events are written; events in one row are among these. */
const CHANGES_AT_ONCE = 2_000;

/** Changes that are made into rows before other work in this process gets a turn. */
const CHANGES_PER_TURN = 500;

/** Commits are kept this long after they were recorded, for tails that fell behind. */
const KEEP_COMMITS_MS = 60 * 60_000;

interface RecordedBackend {
  id: string;
  history: HistorySource;
  /** Absent: it shares nothing with the control database. */
  store?: Pick<RecordStore, 'isEmbedded'> | null;
}

/**
 * Records one backend's history in the control database: one row a commit becomes the rows of its
 * events (see `EventRows`), and is counted in the roll-ups. Only the process that runs maintenance
 * does this; its position is stored, so its successor continues there, and nothing that a former
 * one still writes is kept. A commit that is read twice is recorded and counted once.
 */
export class EventRecorder {
  private tail: HistoryTail | null = null;
  private saved = 0;
  /** Where this tail began to record events; before that it only counts. */
  private recordsAfter = 0;
  /** On the monotonic clock: everything up to then was recorded. */
  private caughtUpAt: number | null = null;
  private readonly cursorId: string;
  /** Counts the processes that have begun to record this backend, one after another. */
  private readonly turnId: string;
  private turn = 0;
  private readonly rollUps: RollUpWriter;

  /** @param tally receives what this process has counted */
  constructor(
    private readonly database: Database,
    private readonly backend: RecordedBackend,
    private readonly clock: Clock,
    tally: EventTally,
    private readonly retention = DEFAULT_RETENTION,
  ) {
    this.cursorId = recordedCursor(backend.id);
    this.turnId = `opener/${backend.id}`;
    this.rollUps = new RollUpWriter(database, backend.id, clock, tally);
  }

  /**
   * Records what has come since the last call; after a failure, from what was surely reached. What
   * comes meanwhile waits for the next call: many commits are read and written at once.
   */
  async record(): Promise<void> {
    try {
      const tail = this.tail ?? (await this.begin());
      for (let round = 0; round < ROUNDS_MAX; round += 1) {
        const startedAt = this.clock.monotonic();
        const rows = await tail.poll();
        await this.write(rows, tail.position);
        await this.rollUps.take(rows, tail.position);
        if (!tail.isAtEnd) continue;
        this.caughtUpAt = startedAt;
        return;
      }
    } catch (error) {
      this.tail = null;
      throw error;
    }
  }

  /** Begins again at the kept cursors, as after another process did this work. */
  restart(): void {
    this.tail = null;
    this.caughtUpAt = this.clock.monotonic();
  }

  get id(): string {
    return this.backend.id;
  }

  /** Whether locks and events share the queue for writes. */
  private get isEmbedded(): boolean {
    return this.backend.store?.isEmbedded === true;
  }

  /** For how long it has not recorded all that there is; null: it has never run here. */
  lagMs(): number | null {
    return this.caughtUpAt === null ? null : this.clock.monotonic() - this.caughtUpAt;
  }

  /** Removes what is too old to be asked for. */
  async prune(): Promise<void> {
    const { history, id } = this.backend;
    const now = this.clock.now();
    await pruneRecorded(this.database, id, now, this.retention);
    const done = Math.min(this.saved, this.rollUps.position);
    while ((await history.pruneHistory(done, now - KEEP_COMMITS_MS)) > 0);
  }

  private async begin(): Promise<HistoryTail> {
    this.saved = await this.takeOver();
    this.recordsAfter = this.saved;
    await this.rollUps.begin(this.saved);
    const from = Math.min(this.saved, this.rollUps.position);
    this.tail = new HistoryTail(this.backend.history, this.clock, from);
    return this.tail;
  }

  /**
   * Takes over from the process that recorded last, which can write no more. What it wrote after
   * the cursor is removed and recorded again, because other events belong in the same rows.
   *
   * @returns the cursor
   */
  private takeOver(): Promise<number> {
    const { database, backend, cursorId, turnId } = this;
    const { cursors, lockEvents } = database.tables;
    return database.transaction(async (tx) => {
      const stored = async (id: string) => {
        const isIt = eq(cursors.id, id);
        const [row] = await database.forUpdate(tx.select().from(cursors).where(isIt));
        if (!row) await tx.insert(cursors).values({ id, position: 0 });
        return row;
      };
      this.turn = ((await stored(turnId))?.position ?? 0) + 1;
      await tx.update(cursors).set({ position: this.turn }).where(eq(cursors.id, turnId));
      const cursor = await stored(cursorId);
      if (!cursor) return 0;
      const isAfter = gt(lockEvents.historyId, cursor.position);
      await tx.delete(lockEvents).where(and(eq(lockEvents.backend, backend.id), isAfter) as SQL);
      return cursor.position;
    });
  }

  /**
   * In short transactions; the last of those with the rows of a commit moves the cursor past it.
   */
  private async write(rows: HistoryRow[], position: number): Promise<void> {
    const commits = rows.filter(({ id }) => id > this.recordsAfter).sort((a, b) => a.id - b.id);
    // No row has events on both sides of the position: those after it may be recorded again.
    const settled = commits.filter(({ id }) => id <= position);
    await this.writeCommits(settled, position);
    await this.writeCommits(commits.slice(settled.length), position);
    if (position > this.saved) await this.writeSome([], position);
  }

  private async writeCommits(commits: readonly HistoryRow[], position: number): Promise<void> {
    const rows = new EventRows(this.backend.id);
    let changes = 0;
    let sinceTurn = 0;
    for (const commit of commits) {
      rows.add(commit);
      changes += commit.changes.length;
      sinceTurn += commit.changes.length;
      if (changes >= CHANGES_AT_ONCE) {
        await this.writeAll(rows.take(), Math.min(commit.id, position));
        changes = 0;
        sinceTurn = 0;
      } else if (sinceTurn >= CHANGES_PER_TURN) {
        await setImmediate();
        sinceTurn = 0;
      }
    }
    await this.writeAll(rows.take(), position);
  }

  private async writeAll(rows: SqlValue[][], position: number): Promise<void> {
    const isAside = this.database.kind === 'sqlite' && !this.isEmbedded;
    const atOnce = isAside ? ROWS_PER_TRANSACTION_ASIDE : ROWS_PER_TRANSACTION;
    for (let i = 0; i < rows.length; i += atOnce) {
      const end = i + atOnce;
      await this.writeSome(rows.slice(i, end), end < rows.length ? this.saved : position);
    }
  }

  /** @param position every visible commit up to here is written with these rows */
  private async writeSome(rows: SqlValue[][], position: number): Promise<void> {
    const { raw, kind } = this.database;
    const statements = [this.whileItsTurn(), ...insertionsOf(kind, rows)];
    if (position > this.saved) {
      const sql = 'UPDATE cursors SET position = ? WHERE id = ? AND position < ?';
      statements.push({ sql, values: [position, this.cursorId, position] });
    }
    // Beside the event loop it takes longer, and the locks of an embedded store wait for it.
    await raw.batch(statements, !this.isEmbedded);
    this.saved = Math.max(this.saved, position);
    await setImmediate();
  }

  /** Fails, by giving a row the id of another, once another process has taken over. */
  private whileItsTurn(): RawStatement {
    const sql = 'UPDATE cursors SET id = CASE WHEN position = ? THEN id ELSE ? END WHERE id = ?';
    return { sql, values: [this.turn, this.cursorId, this.turnId] };
  }
}
