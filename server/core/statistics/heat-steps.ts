import type { LockStatus } from '../../contract/console/console-terms';
import type { InsightRange } from '../../contract/console/insight-row';
import type { HeatMap, HeatRow } from '../../contract/console/past/overview';
import { worseStatus } from '../status/worse-status';
import { HOUR_MS, MINUTE_MS } from '../time-units';

/** The steps in which waits are counted: fine ones for one hour, coarse ones for longer ranges. */
export const HEAT_STEPS_MS = [MINUTE_MS, 15 * MINUTE_MS] as const;

/** How many locks of a step are kept. */
export const HEAT_LOCKS_MAX = 20;

/** How many locks a heat map has. */
const ROWS_MAX = 14;

/** The length and the number of the cells, and the length of the steps that they sum. */
interface Cells {
  cellMs: number;
  count: number;
  stepMs: number;
}

const CELLS: Record<InsightRange, Cells> = {
  '1h': { cellMs: MINUTE_MS, count: 60, stepMs: MINUTE_MS },
  '24h': { cellMs: 30 * MINUTE_MS, count: 48, stepMs: 15 * MINUTE_MS },
  '7d': { cellMs: 3 * HOUR_MS, count: 56, stepMs: 15 * MINUTE_MS },
  '30d': { cellMs: 12 * HOUR_MS, count: 60, stepMs: 15 * MINUTE_MS },
};

/** The cells of an hour without fine steps; the first of them begins before the hour. */
const COARSE_HOUR: Cells = { cellMs: 15 * MINUTE_MS, count: 5, stepMs: 15 * MINUTE_MS };

const cellsOf = (range: InsightRange, isFineKept: boolean): Cells =>
  range === '1h' && !isFineKept ? COARSE_HOUR : CELLS[range];

/** One lock in one step. */
export interface HeatReading extends Pick<HeatRow, 'backend' | 'namespace' | 'name'> {
  at: number;
  waiterMs: number;
  status: LockStatus;
}

/** Sums readings into a heat map. */
export class HeatSteps {
  private readonly rows = new Map<string, HeatRow>();
  /** The instant at which the map begins. */
  readonly from: number;
  private readonly cells: Cells;

  /** @param isFineKept whether the fine steps of the last hour are stored */
  constructor(
    private readonly range: InsightRange,
    now: number,
    isFineKept = true,
  ) {
    const cells = cellsOf(range, isFineKept);
    this.from = (Math.floor(now / cells.cellMs) - cells.count + 1) * cells.cellMs;
    this.cells = cells;
  }

  /** The length of the steps that the map is made of. */
  get stepMs(): number {
    return this.cells.stepMs;
  }

  /** Adds a reading; readings must come in order of time. */
  add({ at, waiterMs, status, backend, namespace, name }: HeatReading): void {
    const { cellMs, count } = this.cells;
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
    const { cellMs: stepMs, count: steps } = this.cells;
    const rows = [...this.rows.values()].sort((a, b) => b.waiterMs - a.waiterMs);
    return { range: this.range, from: this.from, stepMs, steps, rows: rows.slice(0, ROWS_MAX) };
  }
}
