import { setImmediate } from 'node:timers/promises';
import { eq } from 'drizzle-orm';
import type { Database } from '@/db/database';
import type { Clock } from '../../platform/clock';
import type { HistoryRow } from '../../storage/record-store';
import type { EventTally } from '../metrics/event-tally';
import type { MonitoredBackend } from '../projection/lock-projection';
import { RollUpWriter } from '../rollups/roll-up-writer';
import { eventRows, insertEvents } from './event-rows';
import { HistoryTail } from './history-tail';
import { pruneRecorded } from './prune-recorded';

/** How often history is read in one go, so that a busy backend is caught up with. */
const ROUNDS_MAX = 50;

/** Events written in one transaction. */
const EVENTS_PER_TRANSACTION = 1_000;

/** Flushes are kept this long after they were opened, for tails that fell behind. */
const KEEP_COMMITS_MS = 60 * 60_000;

/**
 * Opens one backend's history: one row a flush becomes one row an event, in the control database,
 * and is counted in the roll-ups. Run by the chores process alone; where it stopped is kept, so its
 * successor goes on there. A row met twice is kept and counted once.
 */
export class EventRecorder {
  private tail: HistoryTail | null = null;
  private saved = 0;
  /** Where this tail began to open events; before that it only counts. */
  private recordsAfter = 0;
  private readonly cursorId: string;
  private readonly rollUps: RollUpWriter;

  /** @param tally receives what this process has counted */
  constructor(
    private readonly database: Database,
    private readonly backend: Pick<MonitoredBackend, 'id' | 'store'>,
    private readonly clock: Clock,
    tally: EventTally,
  ) {
    this.cursorId = `opened/${backend.id}`;
    this.rollUps = new RollUpWriter(database, backend.id, clock, tally);
  }

  /**
   * Opens what has come since the last call. After a failure it begins again where it had surely
   * come to.
   */
  async record(): Promise<void> {
    try {
      const tail = this.tail ?? (await this.begin());
      for (let round = 0; round < ROUNDS_MAX; round += 1) {
        const rows = await tail.poll();
        await this.write(rows, tail.position);
        await this.rollUps.take(rows, tail.position);
        if (rows.length === 0) return;
      }
    } catch (error) {
      this.restart();
      throw error;
    }
  }

  /** Begins again at the kept cursors, as after another process did this work. */
  restart(): void {
    this.tail = null;
  }

  /** Removes what is too old to be asked for. */
  async prune(): Promise<void> {
    const { store, id } = this.backend;
    const now = this.clock.now();
    await pruneRecorded(this.database, id, now);
    const done = Math.min(this.saved, this.rollUps.position);
    while ((await store.pruneHistory(done, now - KEEP_COMMITS_MS)) > 0);
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
    this.tail = new HistoryTail(this.backend.store, this.clock, from);
    return this.tail;
  }

  /**
   * Events first, some at a time, since a transaction keeps others waiting; the cursor with the
   * last of them.
   */
  private async write(rows: HistoryRow[], position: number): Promise<void> {
    const { raw, kind } = this.database;
    const fresh = rows.filter(({ id }) => id > this.recordsAfter);
    const events = fresh.flatMap((row) => eventRows(this.backend.id, row));
    while (events.length > EVENTS_PER_TRANSACTION) {
      const some = events.splice(0, EVENTS_PER_TRANSACTION);
      await raw.transaction((ask) => insertEvents(ask, kind, some));
      await setImmediate();
    }
    if (events.length === 0 && position <= this.saved) return;
    await raw.transaction(async (ask) => {
      await insertEvents(ask, kind, events);
      const move = 'UPDATE cursors SET position = ? WHERE id = ? AND position < ?';
      await ask(move, [position, this.cursorId, position]);
    });
    this.saved = Math.max(this.saved, position);
    await setImmediate();
  }
}
