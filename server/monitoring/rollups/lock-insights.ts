import { setImmediate } from 'node:timers/promises';
import type { Database } from '@/db/database';
import type { InsightRange } from '../../contract/console/insight-row';
import type { LockEvent } from '../../core/lock/lock-event';
import { InsightSteps, rangeBegin } from '../../core/statistics/insight-steps';
import {
  addEvent,
  emptyRollup,
  type MinuteRollup,
  minuteOf,
} from '../../core/statistics/minute-rollup';
import { MINUTE_MS } from '../../core/time-units';
import { recordId } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import { type BackendState, clockOffsetOf } from '../projection/monitored-backend';
import { refusalsByMinute } from '../refusals/refusal-rows';
import { countedTo, uncountedEvents } from './rollup-cursors';
import { ALL_LOCKS, MINUTE_COLUMNS, readRollup } from './rollup-rows';

/** Minutes read at a time, so that a request over a long range does not block others. */
const ROWS_AT_ONCE = 500;

/** Attempts to read roll-ups between two writes; after that, events in no roll-up are left out. */
const ATTEMPTS_MAX = 3;

/** What the roll-ups contain for a span of time. */
export type SumView = ReturnType<InsightSteps['view']>;

/** The recorded past in numbers, from the roll-ups. */
export class LockInsights {
  /**
   * @param storeIdsOf where a backend's roll-ups are stored: its own id, or those of its shards
   * @param publicIds of all backends: refused attempts are stored under these
   * @param onRead is called when events of a lock are read that are in no roll-up yet
   * @param backends whose clocks are compared with that of this process
   */
  constructor(
    private readonly database: Database,
    private readonly storeIdsOf: (backend: string) => string[],
    private readonly publicIds: readonly string[],
    private readonly onRead = () => {},
    private readonly backends: readonly BackendState[] = [],
  ) {}

  /**
   * One lock over a range that ends with the step under way at `now`, its backend's clock. Reads
   * all shards of the backend: a reshard may have moved the lock.
   */
  async ofLock(
    backend: string,
    key: RecordKey,
    range: InsightRange,
    now: number,
  ): Promise<SumView> {
    const steps = new InsightSteps(range, now);
    for (const id of this.storeIdsOf(backend)) {
      const rollups = await this.readConsistently(id, recordId(key), rangeBegin(range, now));
      for (const rollup of rollups) steps.add(rollup);
    }
    const time = { since: rangeBegin(range, now), until: now };
    await this.addRefusals(steps, backend, recordId(key), time);
    return steps.view();
  }

  /**
   * All locks of these backends together over a range that ends now, on the clock of this process.
   * Minutes of a backend whose clock is ahead or behind are moved by as many whole minutes.
   */
  async ofAll(backends: string[], range: InsightRange, now: number): Promise<SumView> {
    const steps = new InsightSteps(range, now);
    const since = rangeBegin(range, now);
    for (const backend of backends) {
      const byMs = this.minutesAheadMs(backend);
      const rollups = await this.read(backend, ALL_LOCKS, since + byMs, now + byMs);
      for (const rollup of rollups) steps.add({ ...rollup, minute: rollup.minute - byMs });
    }
    for (const backend of backends.length > 0 ? this.publicIds : []) {
      const time = { since, until: now, byMs: this.minutesAheadMs(backend) };
      await this.addRefusals(steps, backend, ALL_LOCKS, time);
    }
    return steps.view();
  }

  /** By how much the clock of a backend or shard is ahead of this process's, in whole minutes. */
  private minutesAheadMs(id: string): number {
    return Math.round(clockOffsetOf(this.backends, id) / MINUTE_MS) * MINUTE_MS;
  }

  private async addRefusals(
    steps: InsightSteps,
    backend: string,
    lockId: string,
    { since, until, byMs = 0 }: { since: number; until: number; byMs?: number },
  ): Promise<void> {
    const time = { since: since + byMs, until: until + byMs };
    const minutes = await refusalsByMinute(this.database, backend, lockId, time);
    for (const { minute, refused } of minutes) {
      steps.add({ ...emptyRollup(minute - byMs), refused });
    }
  }

  /** A lock's roll-ups, and events in none yet; reads again if roll-ups were written meanwhile. */
  private async readConsistently(
    backend: string,
    lockId: string,
    since: number,
  ): Promise<MinuteRollup[]> {
    this.onRead();
    const { ask } = this.database.raw;
    for (let attempt = 1; ; attempt += 1) {
      const position = await countedTo(ask, backend, lockId);
      const rollups = await this.read(backend, lockId, since);
      const events = await uncountedEvents(ask, backend, lockId, position);
      if ((await countedTo(ask, backend, lockId)) === position) {
        return [...rollups, ...events.map(rollupOf)];
      }
      if (attempt === ATTEMPTS_MAX) return rollups;
    }
  }

  private async read(
    backend: string,
    lockId: string,
    since: number,
    until = Number.MAX_SAFE_INTEGER,
  ): Promise<MinuteRollup[]> {
    const sql =
      `SELECT minute, ${MINUTE_COLUMNS} FROM lock_minutes WHERE backend = ? AND lock_id = ? ` +
      `AND minute >= ? AND minute <= ? ORDER BY minute LIMIT ${ROWS_AT_ONCE}`;
    const rollups: MinuteRollup[] = [];
    for (let from = since; ; ) {
      const { rows } = await this.database.raw.ask(sql, [backend, lockId, from, until]);
      for (const [minute, ...columns] of rows) rollups.push(readRollup(Number(minute), columns));
      const last = rows.at(-1);
      if (!last || rows.length < ROWS_AT_ONCE) return rollups;
      from = Number(last[0]) + 1;
      await setImmediate();
    }
  }
}

function rollupOf(event: LockEvent): MinuteRollup {
  const rollup = emptyRollup(minuteOf(event));
  addEvent(rollup, event);
  return rollup;
}
