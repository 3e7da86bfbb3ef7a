import { setTimeout } from 'node:timers/promises';
import type { Database } from '@/db/database';
import type { LockEngine } from '../../engine/lock-engine';
import type { Clock } from '../../platform/clock';
import type { HistorySource } from '../../storage/record-store';
import { aheadCursor, recordedCursor } from '../../storage/recorded-position';

/** How long to wait for what is being written, and how often to check. */
const WAIT_MAX_MS = 4_000;
const CHECK_EVERY_MS = 60;

/** A store whose history is recorded: also a shard that is leaving, which has no engine. */
interface RecordedStore {
  id: string;
  store: Pick<HistorySource, 'historyAfter' | 'historyEnd'>;
  /** Knows whether the store responds, and its clock. */
  engine?: Pick<LockEngine, 'health'>;
}

/** Waits until what the stores have committed is recorded. */
export class RecordingWatch {
  constructor(
    private readonly database: Database,
    private readonly stores: readonly RecordedStore[],
    private readonly clock: Pick<Clock, 'monotonic'>,
  ) {}

  /** The deadline for a wait that begins now, on the monotonic clock. */
  deadline(): number {
    return this.clock.monotonic() + WAIT_MAX_MS;
  }

  /**
   * Whether all that was committed before the call is recorded; false if it is not by the deadline.
   * A store that does not respond has committed nothing new.
   */
  async untilRecorded(deadline = this.deadline()): Promise<boolean> {
    const ends = await this.historyEnds();
    return this.until(deadline, () => this.isRecorded(ends));
  }

  /**
   * Whether all that was committed up to an instant is recorded, without waiting for it: a recorder
   * can be far behind.
   *
   * @param at on the clock of this process
   */
  async isRecordedUpTo(at: number): Promise<boolean> {
    for (const { id, store, engine } of this.stores) {
      const { reachable = true, clockOffsetMs = 0 } = engine?.health() ?? {};
      if (!reachable) continue;
      const position = await this.positionOf(id);
      const [next] = (await store.historyAfter(position, 1).catch(() => null)) ?? [];
      if (next && next.at <= at + clockOffsetMs) return false;
    }
    return true;
  }

  /** Polls until `isDone` holds; false if it does not by the deadline. */
  async until(deadline: number, isDone: () => boolean | Promise<boolean>): Promise<boolean> {
    while (!(await isDone())) {
      if (this.clock.monotonic() > deadline) return false;
      await setTimeout(CHECK_EVERY_MS);
    }
    return true;
  }

  /** The newest commit of each store. */
  private async historyEnds(): Promise<Map<string, number>> {
    const ends = await Promise.all(
      this.stores.map(async ({ id, store, engine }) => {
        const isSilent = engine?.health().reachable === false;
        const end = isSilent ? null : await store.historyEnd().catch(() => null);
        return end === null ? [] : [[id, end] as const];
      }),
    );
    return new Map(ends.flat());
  }

  private async isRecorded(ends: ReadonlyMap<string, number>): Promise<boolean> {
    for (const [id, end] of ends) if ((await this.positionOf(id)) < end) return false;
    return true;
  }

  /** The newest recorded commit of a store. */
  private async positionOf(id: string): Promise<number> {
    const sql = 'SELECT MAX(position) FROM cursors WHERE id IN (?, ?)';
    const { rows } = await this.database.raw.ask(sql, [recordedCursor(id), aheadCursor(id)]);
    return Number(rows[0]?.[0] ?? 0);
  }
}
