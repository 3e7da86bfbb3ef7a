import { setImmediate } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import type { Database, RawStatement, SqlValue } from '@/db/database';
import { spanClass } from '../../core/past/event-span';
import { DEFAULT_RETENTION } from '../../core/retention';
import type { Clock } from '../../platform/clock';
import { recordId } from '../../storage/record-id';
import type { HistoryRow, HistorySource, RecordStore } from '../../storage/record-store';
import type { EventTally } from '../metrics/event-tally';
import { RollUpWriter } from '../rollups/roll-up-writer';
import { HistoryTail } from './history-tail';
import { pruneRecorded } from './prune-recorded';

/** How often history is read in one go, so that a busy backend is caught up with. */
const ROUNDS_MAX = 50;

/** Events written in one transaction. In SQLite locks wait for as long. */
const EVENTS_PER_TRANSACTION = 200;

/** Events written by one statement: SQLite would prepare a longer one for every call. */
const EVENTS_PER_STATEMENT = { mysql: 200, sqlite: 50 };

const COLUMNS = 'backend, history_id, place, lock_id, at, rev, kind, body, span';

const ONE_ROW = '(?,?,?,?,?,?,?,?,?)';

const IGNORE_DUPLICATE = {
  mysql: 'ON DUPLICATE KEY UPDATE place = lock_events.place',
  sqlite: 'ON CONFLICT DO NOTHING',
};

/** Flushes are kept this long after they were opened, for tails that fell behind. */
const KEEP_COMMITS_MS = 60 * 60_000;

interface RecordedBackend {
  id: string;
  history: HistorySource;
  /** Absent: it shares nothing with the control database. */
  store?: Pick<RecordStore, 'isEmbedded'> | null;
}

/**
 * Records one backend's history in the control database: one row a commit becomes one row an event,
 * and is counted in the roll-ups. Only the process that runs maintenance does this; its position is
 * stored, so its successor continues there. A row that is read twice is stored and counted once.
 */
export class EventRecorder {
  private tail: HistoryTail | null = null;
  private saved = 0;
  /** Where this tail began to open events; before that it only counts. */
  private recordsAfter = 0;
  /** On the monotonic clock: everything up to then was recorded. */
  private caughtUpAt: number | null = null;
  private readonly cursorId: string;
  private readonly rollUps: RollUpWriter;

  /** @param tally receives what this process has counted */
  constructor(
    private readonly database: Database,
    private readonly backend: RecordedBackend,
    private readonly clock: Clock,
    tally: EventTally,
    private readonly retention = DEFAULT_RETENTION,
  ) {
    this.cursorId = `opened/${backend.id}`;
    this.rollUps = new RollUpWriter(database, backend.id, clock, tally);
  }

  /** Opens what has come since the last call; after a failure, from what was surely reached. */
  async record(): Promise<void> {
    try {
      const tail = this.tail ?? (await this.begin());
      for (let round = 0; round < ROUNDS_MAX; round += 1) {
        const rows = await tail.poll();
        await this.write(rows, tail.position);
        await this.rollUps.take(rows, tail.position);
        if (rows.length > 0) continue;
        this.caughtUpAt = this.clock.monotonic();
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
    const { cursors } = this.database.tables;
    const [row] = await this.database.db
      .select()
      .from(cursors)
      .where(eq(cursors.id, this.cursorId));
    if (!row) await this.database.db.insert(cursors).values({ id: this.cursorId, position: 0 });
    this.saved = row?.position ?? 0;
    this.recordsAfter = this.saved;
    await this.rollUps.begin(this.saved);
    const from = Math.min(this.saved, this.rollUps.position);
    this.tail = new HistoryTail(this.backend.history, this.clock, from);
    return this.tail;
  }

  /** In short transactions, each of which moves the cursor past the commits it completes. */
  private async write(rows: HistoryRow[], position: number): Promise<void> {
    const commits = rows.filter(({ id }) => id > this.recordsAfter).sort((a, b) => a.id - b.id);
    let events: SqlValue[][] = [];
    for (const commit of commits) {
      events.push(...eventRows(this.backend.id, commit));
      while (events.length > EVENTS_PER_TRANSACTION) {
        const some = events.splice(0, EVENTS_PER_TRANSACTION);
        await this.writeSome(some, Math.min(commit.id - 1, position));
      }
      if (events.length < EVENTS_PER_TRANSACTION) continue;
      await this.writeSome(events, Math.min(commit.id, position));
      events = [];
    }
    if (events.length > 0 || position > this.saved) await this.writeSome(events, position);
  }

  /** @param position every visible commit up to here is written with these events */
  private async writeSome(events: SqlValue[][], position: number): Promise<void> {
    const { raw, kind } = this.database;
    const statements = insertionsOf(kind, events);
    if (position > this.saved) {
      const sql = 'UPDATE cursors SET position = ? WHERE id = ? AND position < ?';
      statements.push({ sql, values: [position, this.cursorId, position] });
    }
    // Beside the event loop it takes longer, and the locks of an embedded store wait for it.
    await raw.batch(statements, !this.backend.store?.isEmbedded);
    this.saved = Math.max(this.saved, position);
    await setImmediate();
  }
}

/** What writes event rows, however many; one that exists already stays as it is. */
export function insertionsOf(kind: Database['kind'], rows: SqlValue[][]): RawStatement[] {
  const atOnce = EVENTS_PER_STATEMENT[kind];
  const statements: RawStatement[] = [];
  for (let i = 0; i < rows.length; i += atOnce) {
    const some = rows.slice(i, i + atOnce);
    const places = new Array(some.length).fill(ONE_ROW).join(',');
    const sql = `INSERT INTO lock_events (${COLUMNS}) VALUES ${places} ${IGNORE_DUPLICATE[kind]}`;
    statements.push({ sql, values: some.flat() });
  }
  return statements;
}

/** One row an event, without Lockyard's own records; columns in the order of `insertionsOf`. */
export function eventRows(backend: string, { id, changes }: HistoryRow): SqlValue[][] {
  const rows: SqlValue[][] = [];
  for (const { key, events } of changes) {
    if (key.namespace.startsWith('.')) continue;
    const lockId = recordId(key);
    for (const event of events) {
      const { at, rev, kind } = event;
      const place = [backend, id, rows.length, lockId];
      rows.push([...place, at, rev, kind, JSON.stringify(event), spanClass(event)]);
    }
  }
  return rows;
}
