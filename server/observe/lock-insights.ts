import { setImmediate } from 'node:timers/promises';
import type { Database } from '@/db/database';
import { recordId } from '../backends/record-id';
import type { RecordKey } from '../backends/record-store';
import type { InsightRange } from '../domain/insight-row';
import { InsightSteps, rangeBegin } from '../domain/insight-steps';
import { ALL_LOCKS, MINUTE_COLUMNS, readRollup } from './rollup-rows';

/** Minutes read at a time, so that nobody waits long for those who look far back. */
const ROWS_AT_ONCE = 500;

/** What the roll-ups say of a time. */
export type SumView = ReturnType<InsightSteps['view']>;

/** The recorded past in numbers, from the roll-ups. */
export class LockInsights {
  /** @param partsOf what the roll-ups of a backend are filed under: its own id, or those of its shards */
  constructor(
    private readonly database: Database,
    private readonly partsOf: (backend: string) => string[],
  ) {}

  /**
   * One lock over a range that ends with the step under way at `now`, its backend's clock. Of a backend with shards all of
   * them are looked at: a reshard may have moved the lock.
   */
  async ofLock(
    backend: string,
    key: RecordKey,
    range: InsightRange,
    now: number,
  ): Promise<SumView> {
    const steps = new InsightSteps(range, now);
    for (const id of this.partsOf(backend)) {
      await this.read(steps, id, recordId(key), rangeBegin(range, now));
    }
    return steps.view();
  }

  /** All locks of these backends over the last hour. */
  async lastHour(backends: string[], now: number): Promise<SumView> {
    const steps = new InsightSteps('1h', now);
    for (const backend of backends) {
      await this.read(steps, backend, ALL_LOCKS, rangeBegin('1h', now));
    }
    return steps.view();
  }

  private async read(
    steps: InsightSteps,
    backend: string,
    lockId: string,
    since: number,
  ): Promise<void> {
    const sql = `SELECT minute, ${MINUTE_COLUMNS} FROM lock_minutes WHERE backend = ? AND lock_id = ? AND minute >= ? ORDER BY minute LIMIT ${ROWS_AT_ONCE}`;
    for (let from = since; ; ) {
      const { rows } = await this.database.raw.ask(sql, [backend, lockId, from]);
      for (const [minute, ...columns] of rows) steps.add(readRollup(Number(minute), columns));
      const last = rows.at(-1);
      if (!last || rows.length < ROWS_AT_ONCE) return;
      from = Number(last[0]) + 1;
      await setImmediate();
    }
  }
}
