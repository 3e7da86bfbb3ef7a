import { and, eq, lt } from 'drizzle-orm';
import type { Database } from '@/db/database';
import { recordId } from '../backends/record-id';
import type { HistoryRow } from '../backends/record-store';
import type { Clock } from '../clock';
import { HistoryTail } from './history-tail';
import type { ObservedBackend } from './lock-board';

/** Event rows in one insert. */
const ROWS_AT_ONCE = 200;

/** How often history is read in one go, so that a busy backend is caught up with. */
const ROUNDS_MAX = 50;

/** Flushes are kept this long after they were opened, for tails that fell behind. */
const KEEP_FLUSHES_MS = 60 * 60_000;

/** Opened events are kept this long. */
const KEEP_EVENTS_MS = 30 * 24 * 60 * 60_000;

/**
 * Opens one backend's history: one row a flush becomes one row an event, in the control database. Run by the chores
 * process alone; where it stopped is kept, so its successor goes on there. A row met twice is kept once.
 */
export class HistoryOpener {
  private tail: HistoryTail | null = null;
  private saved = 0;
  private readonly cursorId: string;

  constructor(
    private readonly database: Database,
    private readonly backend: ObservedBackend,
    private readonly clock: Clock,
  ) {
    this.cursorId = `opened/${backend.id}`;
  }

  /** Opens what has come since the last call. After a failure it begins again where it had surely come to. */
  async open(): Promise<void> {
    try {
      const tail = this.tail ?? (await this.begin());
      for (let round = 0; round < ROUNDS_MAX; round += 1) {
        const rows = await tail.poll();
        await this.insertAll(rows.flatMap((row) => this.eventRows(row)));
        if (tail.position !== this.saved) await this.save(tail.position);
        if (rows.length === 0) return;
      }
    } catch (error) {
      this.restart();
      throw error;
    }
  }

  /** Begins again at the kept cursor, as after another process did this work. */
  restart(): void {
    this.tail = null;
  }

  /** Removes what is too old to be asked for. */
  async prune(): Promise<void> {
    const { lockEvents } = this.database.tables;
    const before = this.clock.now() - KEEP_EVENTS_MS;
    const { store, id } = this.backend;
    await this.database.db
      .delete(lockEvents)
      .where(
        and(eq(lockEvents.backend, id), lt(lockEvents.at, before)) ?? eq(lockEvents.backend, ''),
      );
    while ((await store.pruneHistory(this.saved, this.clock.now() - KEEP_FLUSHES_MS)) > 0);
  }

  private async begin(): Promise<HistoryTail> {
    const { cursors } = this.database.tables;
    const [row] = await this.database.db
      .select()
      .from(cursors)
      .where(eq(cursors.id, this.cursorId));
    if (!row) await this.database.db.insert(cursors).values({ id: this.cursorId, position: 0 });
    this.saved = row?.position ?? 0;
    this.tail = new HistoryTail(this.backend.store, this.clock, this.saved);
    return this.tail;
  }

  private eventRows({ id: historyId, changes }: HistoryRow) {
    const backend = this.backend.id;
    return changes
      .filter(({ key }) => !key.namespace.startsWith('.'))
      .flatMap(({ key, events }) => events.map((event) => ({ lockId: recordId(key), event })))
      .map(({ lockId, event }, place) => {
        const { at, rev, kind } = event;
        return { backend, historyId, place, lockId, at, rev, kind, body: JSON.stringify(event) };
      });
  }

  private async insertAll(rows: ReturnType<HistoryOpener['eventRows']>): Promise<void> {
    for (let i = 0; i < rows.length; i += ROWS_AT_ONCE) {
      await this.insert(rows.slice(i, i + ROWS_AT_ONCE));
    }
  }

  private async insert(rows: ReturnType<HistoryOpener['eventRows']>): Promise<void> {
    const { db, tables } = this.database;
    try {
      await db.insert(tables.lockEvents).values(rows);
    } catch (error) {
      if (!this.database.isDuplicateKey(error)) throw error;
      for (const row of rows) await this.insertOnce(row);
    }
  }

  private async insertOnce(row: ReturnType<HistoryOpener['eventRows']>[number]): Promise<void> {
    try {
      await this.database.db.insert(this.database.tables.lockEvents).values(row);
    } catch (error) {
      if (!this.database.isDuplicateKey(error)) throw error;
    }
  }

  private async save(position: number): Promise<void> {
    const { cursors } = this.database.tables;
    await this.database.db.update(cursors).set({ position }).where(eq(cursors.id, this.cursorId));
    this.saved = position;
  }
}
