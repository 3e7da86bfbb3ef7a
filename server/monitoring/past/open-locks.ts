import type { Clock } from '../../platform/clock';
import type { LockTable } from '../lock-list/table/lock-table';
import type { MonitoredBackend } from '../projection/monitored-backend';
import type { ProjectionRow } from '../projection/projection-row';
import type { RecordingWatch } from './recording-watch';

/** For how long a reading of the open locks also serves other instants of the past. */
const READING_FOR_MS = 20_000;

/** The locks that were held, waited for or frozen when they were read. */
export interface OpenLocks {
  rows: ProjectionRow[];
  /** Whether holds or waits that had ended by then may not be recorded yet. */
  isLagging: boolean;
  /**
   * The stores that did not respond, by id, and up to when their rows are known to be right, on the
   * clock of this process. Later changes may be known to other processes only.
   */
  silent: ReadonlyMap<string, number>;
}

/**
 * Reads which locks are in use, then waits until everything that had ended before is recorded:
 * together that misses nothing.
 */
export class OpenLocksReader {
  private last: { locks: Promise<OpenLocks>; startedAt: number; readAt: number } | null = null;

  constructor(
    private readonly recording: RecordingWatch,
    private readonly table: LockTable,
    private readonly backends: readonly MonitoredBackend[],
    private readonly clock: Clock,
  ) {}

  /** @param at the earliest instant of the reading, on this process's clock */
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
    locks.then(({ isLagging, silent }) => (isLagging || silent.size > 0) && forget(), forget);
    // Otherwise memory would keep old copies of locks that have changed since.
    setTimeout(forget, READING_FOR_MS).unref();
    return locks;
  }

  private async readNow(at: number): Promise<OpenLocks> {
    const { table, recording } = this;
    const deadline = recording.deadline();
    const isRead = await recording.until(deadline, () => this.isReadUpTo(at));
    const silent = this.silentStores();
    const rows: ProjectionRow[] = [];
    await table.slice().times(table.slotsEnd, (slot) => {
      const row = table.at(slot);
      if (!row) return;
      const { holds, queue, frozen } = row.record;
      if (holds.length > 0 || queue.length > 0 || frozen) rows.push(row);
    });
    const isRecorded = await recording.untilRecorded(deadline);
    return { rows, isLagging: !isRead || !isRecorded, silent };
  }

  private silentStores(): ReadonlyMap<string, number> {
    const known = new Map<string, number>();
    for (const { id, engine } of this.backends) {
      const { reachable, clockOffsetMs } = engine.health();
      if (!reachable) known.set(id, this.table.reads.upTo(id) - clockOffsetMs);
    }
    return known;
  }

  private isReadUpTo(at: number): boolean {
    return this.backends.every(({ id, engine }) => {
      const { reachable, clockOffsetMs } = engine.health();
      return !reachable || this.table.reads.upTo(id) >= at + clockOffsetMs;
    });
  }
}
