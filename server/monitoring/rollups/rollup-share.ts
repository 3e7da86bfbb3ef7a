import type { RunSql } from '@/db/database';
import type { CounterEvent } from '../../core/counter/counter-event';
import type { LockEvent } from '../../core/lock/lock-event';
import { LogHistogram } from '../../core/statistics/log-histogram';
import {
  addLockEvent,
  addRollup,
  emptyRollup,
  type MinuteRollup,
  minuteOf,
  usualHolds,
  weekOf,
} from '../../core/statistics/minute-rollup';
import { EventTally } from '../metrics/event-tally';
import { CounterMinutes } from './counter-minute-rows';
import { PARTS, partCursor, shareCursor } from './rollup-cursors';
import {
  ALL_LOCKS,
  addToMinute,
  addToWeek,
  type HoldsByLock,
  type MinuteByLock,
  type RollupTarget,
  replacing,
} from './rollup-rows';

/** More minute rows than this are written in parts, as a transaction blocks other writers. */
const ROWS_PER_TRANSACTION = 100;

type Minutes = Map<number, MinuteByLock>;

/** Writes one step. It may be run again, so it must not change what it writes. */
export type Step = (target: RollupTarget) => Promise<void>;

/** Runs one step. */
export type RunStep = (work: Step) => Promise<void>;

/** Counts that are not yet in the database's sums. */
class Counted {
  /** How many rows of minutes there are to write. */
  rows = 0;
  /** The rows of single locks by part, then those of all locks together. */
  readonly minutes = Array.from({ length: PARTS + 1 }, (): Minutes => new Map());
  readonly counters = Array.from({ length: PARTS }, () => new CounterMinutes());
  readonly tally = new EventTally();
}

/**
 * The unwritten counts of a share of a backend's locks, and its cursors. While some of them are
 * written, more can be counted.
 */
export class RollupShare {
  private counted = new Counted();
  private inWrite = new Counted();
  private writtenTo = 0;
  /** By part: commits up to here are written, where that is further than `writtenTo`. */
  private partsWrittenTo: number[] = [];

  constructor(
    private readonly backend: string,
    private readonly index: number,
  ) {}

  /** Every commit up to here is in the database's sums. */
  get written(): number {
    return this.writtenTo;
  }

  /** The last commit of which anything is in the database's sums. */
  get writtenFurthest(): number {
    return Math.max(this.writtenTo, ...this.partsWrittenTo);
  }

  /** How many rows have been counted since the last write began. */
  get rows(): number {
    return this.counted.rows;
  }

  /** Reads the cursors, or creates that of the share; forgets what was not written. */
  async begin(ask: RunSql, from: number): Promise<void> {
    const { backend, index } = this;
    const id = shareCursor(backend, index);
    const parts = Array.from({ length: PARTS }, (_, part) => partCursor(backend, index, part));
    const { rows } = await ask(
      `SELECT id, position FROM cursors WHERE id IN (?${',?'.repeat(PARTS)})`,
      [id, ...parts],
    );
    const stored = new Map(rows.map(([key, position]) => [String(key), Number(position)]));
    const make = 'INSERT INTO cursors (id, position) VALUES (?, ?)';
    if (!stored.has(id)) await ask(make, [id, from]);
    this.writtenTo = stored.get(id) ?? from;
    this.counted = new Counted();
    this.inWrite = new Counted();
    this.partsWrittenTo = parts.map((part) => stored.get(part) ?? Number.NEGATIVE_INFINITY);
  }

  /**
   * Counts events of one lock, unless they are in the database's sums.
   *
   * @param of its part is that of `shareOf(lockId)`
   */
  count(
    commitId: number,
    of: { namespace: string; lockId: string; part: number },
    events: LockEvent[],
  ): void {
    if (commitId <= this.writtenTo) return;
    const { namespace, lockId, part } = of;
    const isPartWritten = commitId <= (this.partsWrittenTo[part] ?? 0);
    for (const event of events) {
      if (!isPartWritten) this.add(part, lockId, event);
      this.add(PARTS, ALL_LOCKS, event);
      this.counted.tally.add(namespace, event);
    }
  }

  /**
   * Counts events of one counter, unless they are in the database's sums.
   *
   * @param of its part is that of `shareOf(counterId)`
   */
  countCounter(
    commitId: number,
    { counterId, part }: { counterId: string; part: number },
    events: CounterEvent[],
  ): void {
    const writtenTo = Math.max(this.writtenTo, this.partsWrittenTo[part] ?? 0);
    if (commitId <= writtenTo) return;
    const { counters } = this.counted;
    for (const event of events) this.counted.rows += counters[part]?.count(counterId, event) ?? 0;
  }

  /** Begins to write what was counted so far. Later counts are not part of this write. */
  beginWrite(): void {
    if (this.inWrite.rows > 0) throw new Error('The last write of these roll-ups has not ended.');
    this.inWrite = this.counted;
    this.counted = new Counted();
  }

  /**
   * Writes the rows of single locks part by part if there are many. The step of each part moves
   * its cursor, so that a part is never counted twice.
   *
   * @param rest is called after each step
   * @throws if another process has moved the cursor of the share
   */
  async writeParts(inOneStep: RunStep, to: number, rest: () => Promise<void>): Promise<void> {
    const { inWrite } = this;
    if (inWrite.rows <= ROWS_PER_TRANSACTION) return;
    for (let part = 0; part < PARTS; part += 1) {
      const minutes = inWrite.minutes[part];
      const counters = inWrite.counters[part];
      if (!minutes || !counters || minutes.size + counters.size === 0) continue;
      const cursor = partCursor(this.backend, this.index, part);
      await inOneStep(async (target) => {
        await this.moveCursor(target, this.writtenTo);
        const onConflict = replacing(target.kind, ['id'], ['position']);
        const move = `INSERT INTO cursors (id, position) VALUES (?, ?) ${onConflict}`;
        await target.write(move, [cursor, to]);
        await addRows(target, minutes);
        await CounterMinutes.write(target, [counters]);
      });
      this.partsWrittenTo[part] = to;
      minutes.clear();
      counters.clear();
      await rest();
    }
  }

  /**
   * Writes the remaining rows of these shares together, which takes few statements, and moves the
   * cursor of each share. Call `endWrite` of each once it is committed.
   *
   * @throws if another process has moved one of the cursors
   */
  static async writeRest(
    shares: readonly RollupShare[],
    target: RollupTarget,
    to: number,
  ): Promise<void> {
    for (const share of shares) await share.moveCursor(target, to);
    await addRows(target, addUp(shares.flatMap(({ inWrite }) => inWrite.minutes)));
    await CounterMinutes.write(
      target,
      shares.flatMap(({ inWrite }) => inWrite.counters),
    );
  }

  /** Forgets what is written, up to this commit. Returns its tally. */
  endWrite(to: number): EventTally {
    const { tally } = this.inWrite;
    this.writtenTo = to;
    this.inWrite = new Counted();
    return tally;
  }

  private moveCursor(target: RollupTarget, to: number): Promise<void> {
    return target.moveCursor(shareCursor(this.backend, this.index), this.writtenTo, to);
  }

  private add(part: number, lockId: string, event: LockEvent): void {
    const minutes = this.counted.minutes[part] as Minutes;
    const minute = minuteOf(event);
    const locks: MinuteByLock = minutes.get(minute) ?? new Map();
    if (locks.size === 0) minutes.set(minute, locks);
    let rollup = locks.get(lockId);
    if (!rollup) {
      rollup = emptyRollup(minute);
      locks.set(lockId, rollup);
      this.counted.rows += 1;
    }
    addLockEvent(rollup, event);
  }
}

/** All of these minutes: the counts of the same lock and minute are added up. Changes none. */
function addUp(all: readonly Minutes[]): Minutes {
  const sums: Minutes = new Map();
  for (const [minute, locks] of all.flatMap((minutes) => [...minutes])) {
    const sum: MinuteByLock = sums.get(minute) ?? new Map();
    sums.set(minute, sum);
    for (const [lockId, rollup] of locks) {
      const others = sum.get(lockId);
      sum.set(lockId, others ? sumOf(others, rollup) : rollup);
    }
  }
  return sums;
}

function sumOf(one: MinuteRollup, other: MinuteRollup): MinuteRollup {
  const sum = emptyRollup(one.minute);
  addRollup(sum, one);
  addRollup(sum, other);
  return sum;
}

async function addRows(target: RollupTarget, minutes: Minutes): Promise<void> {
  for (const [minute, locks] of minutes) await addToMinute(target, minute, locks);
  for (const [week, holds] of holdsByWeek(minutes)) await addToWeek(target, week, holds);
}

function holdsByWeek(minutes: Minutes): Map<number, HoldsByLock> {
  const weeks = new Map<number, HoldsByLock>();
  for (const [minute, locks] of minutes) {
    const week = weekOf(minute);
    const holds: HoldsByLock = weeks.get(week) ?? new Map();
    weeks.set(week, holds);
    for (const [lockId, rollup] of locks) {
      if (lockId === ALL_LOCKS) continue;
      const usual = usualHolds(rollup);
      if (usual.count === 0) continue;
      const others = holds.get(lockId);
      holds.set(lockId, others ? LogHistogram.merge(others, usual) : usual);
    }
  }
  return weeks;
}
