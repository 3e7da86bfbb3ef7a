import { LOCK_STATUSES, type LockStatus } from '../../contract/console/console-terms';
import type { InsightRange } from '../../contract/console/insight-row';
import type { HeatMap, HeatRow } from '../../contract/console/past/overview';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** The steps in which waiting is counted: fine ones for an hour, coarse ones for all else. */
export const HEAT_STEPS_MS = [MINUTE_MS, 15 * MINUTE_MS] as const;

/** How many locks of a step are kept. */
export const HEAT_LOCKS_MAX = 20;

/** Locks that a heat map has. */
const ROWS_MAX = 14;

/** Of each range, how long a cell is, and the steps it is made of. */
const CELLS: Record<InsightRange, { cellMs: number; count: number; stepMs: number }> = {
  '1h': { cellMs: MINUTE_MS, count: 60, stepMs: MINUTE_MS },
  '24h': { cellMs: 30 * MINUTE_MS, count: 48, stepMs: 15 * MINUTE_MS },
  '7d': { cellMs: 3 * HOUR_MS, count: 56, stepMs: 15 * MINUTE_MS },
  '30d': { cellMs: 12 * HOUR_MS, count: 60, stepMs: 15 * MINUTE_MS },
};

/** Which steps a heat map that ends now is made of. */
export function heatSpan(range: InsightRange, now: number): { from: number; stepMs: number } {
  const { cellMs, count, stepMs } = CELLS[range];
  return { from: (Math.floor(now / cellMs) - count + 1) * cellMs, stepMs };
}

/** One lock in one step. */
export interface HeatReading extends Pick<HeatRow, 'backend' | 'namespace' | 'name'> {
  at: number;
  waiterMs: number;
  status: LockStatus;
}

export const worseStatus = (a: LockStatus, b: LockStatus): LockStatus =>
  LOCK_STATUSES.indexOf(a) <= LOCK_STATUSES.indexOf(b) ? a : b;

/** Adds readings up to a heat map. */
export class HeatSteps {
  private readonly rows = new Map<string, HeatRow>();
  private readonly from: number;

  constructor(
    private readonly range: InsightRange,
    now: number,
  ) {
    this.from = heatSpan(range, now).from;
  }

  /** @param reading in order of time */
  add({ at, waiterMs, status, backend, namespace, name }: HeatReading): void {
    const { cellMs, count } = CELLS[this.range];
    const step = Math.floor((at - this.from) / cellMs);
    if (step < 0 || step >= count) return;
    const id = `${backend}/${namespace}/${name}`;
    const row = this.rows.get(id) ?? { backend, namespace, name, waiterMs: 0, cells: [] };
    this.rows.set(id, row);
    row.waiterMs += waiterMs;
    const last = row.cells.at(-1);
    if (last?.step === step) {
      last.waiterMs += waiterMs;
      last.status = worseStatus(last.status, status);
    } else row.cells.push({ step, waiterMs, status });
  }

  view(): HeatMap {
    const { cellMs: stepMs, count: steps } = CELLS[this.range];
    const rows = [...this.rows.values()].sort((a, b) => b.waiterMs - a.waiterMs);
    return { range: this.range, from: this.from, stepMs, steps, rows: rows.slice(0, ROWS_MAX) };
  }
}
