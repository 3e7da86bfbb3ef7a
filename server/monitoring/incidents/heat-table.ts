import { setImmediate } from 'node:timers/promises';
import type { Database, SqlValue } from '@/db/database';
import { LOCK_STATUSES, type LockStatus } from '../../contract/console/console-terms';
import type { InsightRange } from '../../contract/console/insight-row';
import type { HeatMap } from '../../contract/console/past/overview';
import { HEAT_STEPS_MS, HeatSteps } from '../../core/statistics/heat-steps';
import { HOUR_MS } from '../../core/time-units';
import type { ShouldContinue } from '../../platform/periodic';
import { recordId, recordKey } from '../../storage/record-id';
import type { RecordKey } from '../../storage/record-store';
import { deleteRows } from '../history/delete-rows';
import { removalInstant } from '../history/removal-instant';

/** How long the rows of the fine steps are kept: they are shown for the last hours only. */
const FINE_MS = 3 * HOUR_MS;

/** Rows read at a time, so that a request over a long range does not block others. */
const ROWS_AT_ONCE = 400;

export interface HeatRecord {
  backend: string;
  key: RecordKey;
  waiterMs: number;
  status: LockStatus;
}

/** SQL for the worse of two statuses, like `worseStatus`. */
const worse = (a: string, b: string) => {
  const placeOf = (status: string) => `INSTR('${LOCK_STATUSES.join(' ')}', ${status})`;
  return `CASE WHEN ${placeOf(a)} <= ${placeOf(b)} THEN ${a} ELSE ${b} END`;
};

/** The id of the cursor that has the mark of the last addition to steps of this length. */
const cursorOf = (stepMs: number) => `heat ${stepMs}`;

const IF_ABSENT = {
  mysql: 'ON DUPLICATE KEY UPDATE id = VALUES(id)',
  sqlite: 'ON CONFLICT DO NOTHING',
};

const ADDED = {
  mysql:
    'ON DUPLICATE KEY UPDATE waiter_ms = waiter_ms + VALUES(waiter_ms), ' +
    `status = ${worse('status', 'VALUES(status)')}`,
  sqlite:
    'ON CONFLICT (step_ms, at, backend, lock_id) DO UPDATE SET ' +
    'waiter_ms = lock_heat.waiter_ms + excluded.waiter_ms, ' +
    `status = ${worse('lock_heat.status', 'excluded.status')}`,
};

/** The stored steps of the heat map. */
export class HeatTable {
  constructor(private readonly database: Database) {}

  /**
   * Adds the time waited in one step. May be called again with the same mark after a commit without
   * an answer: that adds nothing if the commit took place, unless additions to steps of the same
   * length followed it.
   *
   * @param mark a whole number from 1 to below 2^53 that no other addition has
   */
  async add(
    stepMs: number,
    at: number,
    records: readonly HeatRecord[],
    mark: number,
  ): Promise<void> {
    if (records.length === 0) return;
    const { raw, kind } = this.database;
    const values = records.flatMap(({ backend, key, waiterMs, status }): SqlValue[] => {
      return [stepMs, at, backend, recordId(key), Math.round(waiterMs), status];
    });
    const cursor = cursorOf(stepMs);
    await raw.transaction(async (ask) => {
      await ask(`INSERT INTO cursors (id, position) VALUES (?, 0) ${IF_ABSENT[kind]}`, [cursor]);
      const move = 'UPDATE cursors SET position = ? WHERE id = ? AND position <> ?';
      const { affected } = await ask(move, [mark, cursor, mark]);
      if (affected === 0) return;
      await ask(
        'INSERT INTO lock_heat (step_ms, at, backend, lock_id, waiter_ms, status) VALUES ' +
          `${records.map(() => '(?,?,?,?,?,?)')} ${ADDED[kind]}`,
        values,
      );
    });
  }

  /** The locks most waited for over a range that ends at `at`, which is not after `now`. */
  async map(range: InsightRange, at: number, now = at): Promise<HeatMap> {
    const isFineKept = at - HOUR_MS >= now - FINE_MS;
    const steps = new HeatSteps(range, at, isFineKept);
    const { from, stepMs } = steps;
    const [fineMs] = HEAT_STEPS_MS;
    const underWay = Math.floor(at / stepMs) * stepMs;
    // The coarse step of that instant also contains what was waited for after it.
    const isLastFine = stepMs === fineMs || underWay >= now - FINE_MS;
    await this.read(stepMs, from, isLastFine ? underWay : at + 1, steps);
    if (isLastFine) await this.read(fineMs, underWay, at, steps);
    return steps.view();
  }

  /** Reads the steps that begin at `from` or later, but before `before`. */
  private async read(
    stepMs: number,
    from: number,
    before: number,
    steps: HeatSteps,
  ): Promise<void> {
    const sql =
      'SELECT at, backend, lock_id, waiter_ms, status FROM lock_heat WHERE step_ms = ? AND ' +
      'at >= ? AND at < ? AND (at > ? OR backend > ? OR (backend = ? AND lock_id > ?)) ' +
      `ORDER BY at, backend, lock_id LIMIT ${ROWS_AT_ONCE}`;
    let last: [at: number, backend: string, lockId: string] = [from, '', ''];
    for (;;) {
      const [at, backend, lockId] = last;
      const values = [stepMs, at, before, at, backend, backend, lockId];
      const { rows } = await this.database.raw.ask(sql, values);
      for (const [when, where, id, waiterMs, status] of rows) {
        last = [Number(when), String(where), String(id)];
        const { namespace, name } = recordKey(last[2]);
        const counted = { waiterMs: Number(waiterMs), status: String(status) as LockStatus };
        steps.add({ at: last[0], backend: last[1], namespace, name, ...counted });
      }
      if (rows.length < ROWS_AT_ONCE) return;
      await setImmediate();
    }
  }

  /** Removes old steps, in small batches. @param now the clock of this process */
  async prune(now: number, historyMs: number, shouldContinue?: ShouldContinue): Promise<void> {
    const [fineMs, coarseMs] = HEAT_STEPS_MS;
    const instant = await removalInstant(this.database, now);
    const remove = (stepMs: number, before: number) => {
      const isOld = 'step_ms = ? AND at < ?';
      return deleteRows(this.database, 'lock_heat', isOld, [stepMs, before], shouldContinue);
    };
    await remove(fineMs, instant - FINE_MS);
    await remove(coarseMs, instant - historyMs);
  }
}
