import { setTimeout } from 'node:timers/promises';
import type { Database } from '@/db/database';
import type { Clock } from '../../platform/clock';
import type { LockTable } from '../lock-list/table/lock-table';
import type { MonitoredBackend } from '../projection/monitored-backend';
import type { ProjectionRow } from '../projection/projection-row';

/** How long a reading of what is open serves for other instants of the past. */
const READING_FOR_MS = 20_000;

/** How long to wait for what is being written, and how often to look. */
const WAIT_MAX_MS = 4_000;
const LOOK_EVERY_MS = 60;

/** The locks that were held, waited for or frozen when they were read. */
export interface OpenLocks {
  rows: ProjectionRow[];
  /** Some of what had ended by then was not recorded yet. */
  isLagging: boolean;
}

/** Reads what is open, all of what ended before being recorded: together they miss nothing. */
export class OpenLocksReader {
  private last: { locks: Promise<OpenLocks>; startedAt: number; readAt: number } | null = null;

  constructor(
    private readonly database: Database,
    private readonly table: LockTable,
    private readonly backends: readonly MonitoredBackend[],
    private readonly clock: Clock,
  ) {}

  /** @param at the reading is no earlier; an instant of this process's clock */
  read(at: number): Promise<OpenLocks> {
    const { clock, last } = this;
    const isFresh = last && clock.monotonic() - last.startedAt < READING_FOR_MS;
    if (isFresh && last.readAt >= at) return last.locks;
    const readAt = Math.max(at, clock.now());
    const locks = this.readNow(readAt);
    this.last = { locks, startedAt: clock.monotonic(), readAt };
    const forget = () => {
      if (this.last?.locks === locks) this.last = null;
    };
    locks.then(({ isLagging }) => isLagging && forget(), forget);
    return locks;
  }

  private async readNow(at: number): Promise<OpenLocks> {
    const { table } = this;
    const deadline = this.clock.monotonic() + WAIT_MAX_MS;
    const isRead = await this.waitUntil(deadline, async () => this.isReadUpTo(at));
    const rows: ProjectionRow[] = [];
    await table.slice().times(table.slotsEnd, (slot) => {
      const row = table.at(slot);
      if (!row) return;
      const { holds, queue, frozen } = row.record;
      if (holds.length > 0 || queue.length > 0 || frozen) rows.push(row);
    });
    const ends = await this.historyEnds();
    const isRecorded = await this.waitUntil(deadline, () => this.areRecorded(ends));
    return { rows, isLagging: !isRead || !isRecorded };
  }

  private async waitUntil(deadline: number, check: () => Promise<boolean>): Promise<boolean> {
    while (!(await check())) {
      if (this.clock.monotonic() > deadline) return false;
      await setTimeout(LOOK_EVERY_MS);
    }
    return true;
  }

  private isReadUpTo(at: number): boolean {
    return this.backends.every(({ id, engine }) => {
      const { reachable, clockOffsetMs } = engine.health();
      return !reachable || this.table.reads.upTo(id) >= at + clockOffsetMs;
    });
  }

  /** By store: the newest commit. One that does not respond has no new ones. */
  private async historyEnds(): Promise<Map<string, number>> {
    const ends = new Map<string, number>();
    for (const { id, store, engine } of this.backends) {
      if (!engine.health().reachable) continue;
      const end = await store.historyEnd().catch(() => null);
      if (end !== null) ends.set(id, end);
    }
    return ends;
  }

  /** A commit that never came holds the position back for a while, but not what came after it. */
  private async areRecorded(ends: ReadonlyMap<string, number>): Promise<boolean> {
    const { ask } = this.database.raw;
    const { rows } = await ask("SELECT id, position FROM cursors WHERE id LIKE 'opened/%'", []);
    const positions = new Map(rows.map(([id, position]) => [String(id), Number(position)]));
    for (const [id, end] of ends) {
      if ((positions.get(`opened/${id}`) ?? 0) >= end) continue;
      const sql = 'SELECT MAX(history_id) FROM lock_events WHERE backend = ?';
      const newest = (await ask(sql, [id])).rows[0]?.[0];
      if (Number(newest ?? 0) < end) return false;
    }
    return true;
  }
}
