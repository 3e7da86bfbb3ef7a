import type { RunSql } from '@/db/raw-sql';
import type { LockEvent } from '../../core/lock/lock-event';
import { LogHistogram } from '../../core/statistics/log-histogram';
import {
  addEvent,
  emptyRollup,
  type MinuteRollup,
  minuteOf,
} from '../../core/statistics/minute-rollup';
import { weekOf } from '../../core/statistics/week-of';
import { EventTally } from '../metrics/event-tally';
import { rollupCursor } from './rollup-cursor';
import {
  ALL_LOCKS,
  addToMinute,
  addToWeek,
  type HoldsByLock,
  type MinuteByLock,
  type RollupTarget,
} from './rollup-rows';

/**
 * What was counted of some of a backend's locks and is not written yet, and the cursor that says up
 * to where it is.
 */
export class RollupShare {
  /** How many rows of minutes there are to write. */
  rows = 0;
  private minutes = new Map<number, MinuteByLock>();
  private tally = new EventTally();
  private writtenTo = 0;
  private readonly cursorId: string;

  constructor(
    private readonly backend: string,
    index: number,
  ) {
    this.cursorId = rollupCursor(backend, index);
  }

  /** Every flush up to here is in the database's sums. */
  get written(): number {
    return this.writtenTo;
  }

  /** Reads the cursor, or makes it; what was not written is forgotten. */
  async begin(ask: RunSql, from: number): Promise<void> {
    const find = 'SELECT position FROM cursors WHERE id = ?';
    const { rows } = await ask(find, [this.cursorId]);
    const make = 'INSERT INTO cursors (id, position) VALUES (?, ?)';
    if (rows.length === 0) await ask(make, [this.cursorId, from]);
    this.clear(Number(rows[0]?.[0] ?? from));
  }

  count(namespace: string, lockId: string, events: LockEvent[]): void {
    for (const event of events) {
      addEvent(this.rollupOf(lockId, event), event);
      addEvent(this.rollupOf(ALL_LOCKS, event), event);
      this.tally.add(namespace, event);
    }
  }

  /**
   * Adds what was counted to the database, and moves the cursor. Call `clear` once that is
   * committed.
   *
   * @throws if another process has moved the cursor
   */
  async write(target: RollupTarget, to: number): Promise<void> {
    const move = 'UPDATE cursors SET position = ? WHERE id = ? AND position = ?';
    const { affected } = await target.ask(move, [to, this.cursorId, this.writtenTo]);
    if (affected !== 1) throw new Error(`Another process counts the history of ${this.backend}.`);
    for (const [minute, locks] of this.minutes) await addToMinute(target, minute, locks);
    for (const [week, holds] of this.holdsByWeek()) await addToWeek(target, week, holds, to);
  }

  /**
   * Forgets what was counted, as written up to there or to be counted again from there; says what
   * it was.
   */
  clear(writtenTo: number): EventTally {
    const { tally } = this;
    this.writtenTo = writtenTo;
    this.minutes = new Map();
    this.rows = 0;
    this.tally = new EventTally();
    return tally;
  }

  private rollupOf(lockId: string, event: LockEvent): MinuteRollup {
    const minute = minuteOf(event);
    let locks = this.minutes.get(minute);
    if (!locks) {
      locks = new Map();
      this.minutes.set(minute, locks);
    }
    let rollup = locks.get(lockId);
    if (!rollup) {
      rollup = emptyRollup(minute);
      locks.set(lockId, rollup);
      this.rows += 1;
    }
    return rollup;
  }

  private holdsByWeek(): Map<number, HoldsByLock> {
    const weeks = new Map<number, HoldsByLock>();
    for (const [minute, locks] of this.minutes) {
      const week = weekOf(minute);
      const holds: HoldsByLock = weeks.get(week) ?? new Map();
      weeks.set(week, holds);
      for (const [lockId, rollup] of locks) {
        if (lockId === ALL_LOCKS || rollup.holds.count === 0) continue;
        const others = holds.get(lockId);
        holds.set(lockId, others ? LogHistogram.merge(others, rollup.holds) : rollup.holds);
      }
    }
    return weeks;
  }
}
