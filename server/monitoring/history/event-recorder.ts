import { setImmediate } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import type { Database, RawStatement, SqlValue } from '@/db/database';
import { DEFAULT_RETENTION } from '../../core/retention';
import type { Clock } from '../../platform/clock';
import type { HistorySource, RecordStore } from '../../storage/record-store';
import { aheadCursor, recordedCursor } from '../../storage/recorded-position';
import type { EventTally } from '../metrics/event-tally';
import { RollUpWriter } from '../rollups/roll-up-writer';
import { BUNDLE_MS } from './bundled-events';
import { CollectedEvents } from './collected-events';
import { deleteRows } from './delete-rows';
import type { EventReaders } from './event-readers';
import { bodyLength, insertionsOf } from './event-rows';
import { HistoryTail } from './history-tail';
import { pruneRecorded } from './prune-recorded';

/** How often history is read in one go, so that a busy backend is caught up with. */
const ROUNDS_MAX = 50;

/** What is written in one transaction. */
const PER_TRANSACTION = { rows: 200, chars: 256 * 1_024 };

/** The same in SQLite where the locks are: they wait for as long. */
const PER_TRANSACTION_EMBEDDED = { rows: 200, chars: 64 * 1_024 };

/**
 * The same in SQLite where no locks are: the more rows, the less it writes, as most of them change
 * another page of the index by lock.
 */
const PER_TRANSACTION_ASIDE = { rows: 1_000, chars: 1_024 * 1_024 };

/** Where no more changes than this come between two calls, they are recorded at once. */
const FEW_CHANGES = 600;

/** More are collected for as long, so that those of a lock share rows. */
const COLLECT_MS = BUNDLE_MS;

/** How much is collected at most, of which the memory takes about the double. */
const COLLECT_CHARS_MAX = 16 * 1_024 * 1_024;

/** Commits are kept this long after they were recorded, for tails that fell behind. */
const KEEP_COMMITS_MS = 60 * 60_000;

/** A cursor, and how far it is moved. */
type CursorMove = [id: string, position: number];

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
 *
 * Events are written at once, unless thousands a second come and none are read: then they are
 * collected for up to 10 s, which saves most of the work, as a row costs more than the events in
 * it. If this process dies meanwhile nothing is lost: its successor reads the commits again.
 */
export class EventRecorder {
  private tail: HistoryTail | null = null;
  private saved = 0;
  private collected: CollectedEvents;
  /** On the monotonic clock: all that is older than this is written. */
  private writtenAt = Number.NEGATIVE_INFINITY;
  /** On the monotonic clock: everything up to then was read. */
  private readUpTo: number | null = null;
  /** Whether a write has failed, and none succeeded since: then little is written at a time. */
  private isFailing = false;
  /** On the monotonic clock: everything up to then was recorded. */
  private caughtUpAt: number | null = null;
  private readonly cursorId: string;
  private readonly aheadId: string;
  /** Counts the processes that have begun to record this backend, one after another. */
  private readonly turnId: string;
  private turn = 0;
  private readonly rollUps: RollUpWriter;

  /**
   * @param tally receives what this process has counted
   * @param readers absent: events are always being read
   */
  constructor(
    private readonly database: Database,
    private readonly backend: RecordedBackend,
    private readonly clock: Clock,
    tally: EventTally,
    private readonly retention = DEFAULT_RETENTION,
    private readonly readers: Pick<EventReaders, 'areActive'> | null = null,
  ) {
    this.collected = new CollectedEvents(backend.id, 0);
    this.cursorId = recordedCursor(backend.id);
    this.aheadId = aheadCursor(backend.id);
    this.turnId = `opener/${backend.id}`;
    this.rollUps = new RollUpWriter(database, backend.id, clock, tally, this.isEmbedded);
  }

  /**
   * Records what has come since the last call; after a failure, from what was surely reached. What
   * comes meanwhile waits for the next call: many commits are read and written at once.
   */
  async record(): Promise<void> {
    try {
      const tail = this.tail ?? (await this.begin());
      let changes = 0;
      let areMany = false;
      let areRead = false;
      for (let round = 0; round < ROUNDS_MAX; round += 1) {
        const startedAt = this.clock.monotonic();
        const commits = await tail.poll();
        for (const commit of commits) changes += commit.changes.length;
        await this.collected.add(commits, tail.position);
        await this.rollUps.take(commits, tail.position);
        if (tail.isAtEnd) this.readUpTo = startedAt;
        if (!areMany && changes > FEW_CHANGES) {
          areMany = true;
          areRead = !this.readers || (await this.readers.areActive());
        }
        const areFew = tail.isAtEnd && !areMany;
        if (areFew || areRead || this.isFull(startedAt)) await this.write(tail.position, startedAt);
        if (tail.isAtEnd) return;
      }
    } catch (error) {
      this.tail = null;
      this.isFailing = true;
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
    this.collected = new CollectedEvents(this.backend.id, this.saved);
    this.readUpTo = null;
    this.writtenAt = this.clock.monotonic();
    await this.rollUps.begin(this.saved, this.whileItsTurn());
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
  private async takeOver(): Promise<number> {
    const { database, backend, cursorId, turnId } = this;
    const { cursors } = database.tables;
    const position = await database.transaction(async (tx) => {
      const stored = async (id: string) => {
        const isIt = eq(cursors.id, id);
        const [row] = await database.forUpdate(tx.select().from(cursors).where(isIt));
        if (!row) await tx.insert(cursors).values({ id, position: 0 });
        return row?.position ?? 0;
      };
      const move = (id: string, to: number) =>
        tx.update(cursors).set({ position: to }).where(eq(cursors.id, id));
      this.turn = (await stored(turnId)) + 1;
      await move(turnId, this.turn);
      await stored(this.aheadId);
      await move(this.aheadId, 0);
      return stored(cursorId);
    });
    await deleteRows(database, 'lock_events', 'backend = ? AND history_id > ?', [
      backend.id,
      position,
    ]);
    return position;
  }

  /** Whether what is collected is as much, or as old, as it may be. */
  private isFull(now: number): boolean {
    const isMuch = this.collected.chars >= COLLECT_CHARS_MAX;
    return isMuch || this.isFailing || now - this.writtenAt >= COLLECT_MS;
  }

  /**
   * Writes what is collected, in short transactions; the last of those with settled rows moves the
   * cursor. No row has events on both sides of it: those after it may be recorded again.
   *
   * @param startedAt when the last of it was read
   */
  private async write(position: number, startedAt: number): Promise<void> {
    const { collected, cursorId, aheadId } = this;
    const isFurther = position > this.saved;
    await this.writeRows(collected.takeSettled(), isFurther ? [cursorId, position] : null);
    this.saved = Math.max(this.saved, position);
    const { aheadTo } = collected;
    if (aheadTo !== null) await this.writeRows(collected.takeAhead(), [aheadId, aheadTo]);
    this.writtenAt = startedAt;
    this.caughtUpAt = this.readUpTo ?? this.caughtUpAt;
    this.isFailing = false;
  }

  /** @param cursor is moved with the last of the rows */
  private async writeRows(rows: Iterable<SqlValue[]>, cursor: CursorMove | null): Promise<void> {
    const most = this.perTransaction;
    let some: SqlValue[][] = [];
    let chars = 0;
    for (const row of rows) {
      if (some.length >= most.rows || chars >= most.chars) {
        await this.writeSome(some, null);
        some = [];
        chars = 0;
      }
      some.push(row);
      chars += bodyLength(row);
    }
    if (some.length > 0 || cursor) await this.writeSome(some, cursor);
  }

  private get perTransaction(): typeof PER_TRANSACTION {
    if (this.database.kind === 'mysql') return PER_TRANSACTION;
    return this.isEmbedded ? PER_TRANSACTION_EMBEDDED : PER_TRANSACTION_ASIDE;
  }

  private async writeSome(rows: SqlValue[][], cursor: CursorMove | null): Promise<void> {
    const { raw, kind } = this.database;
    const statements = [this.whileItsTurn(), ...insertionsOf(kind, rows)];
    if (cursor) {
      const [id, position] = cursor;
      const sql = 'UPDATE cursors SET position = ? WHERE id = ? AND position < ?';
      statements.push({ sql, values: [position, id, position] });
    }
    // Beside the event loop it takes longer, and the locks of an embedded store wait for it.
    await raw.batch(statements, !this.isEmbedded);
    await setImmediate();
  }

  /** Fails, by giving a row the id of another, once another process has taken over. */
  private whileItsTurn(): RawStatement {
    const sql = 'UPDATE cursors SET id = CASE WHEN position = ? THEN id ELSE ? END WHERE id = ?';
    return { sql, values: [this.turn, this.cursorId, this.turnId] };
  }
}
