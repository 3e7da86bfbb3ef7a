import type { InsightPoint, InsightRange, LockInsight } from '../../contract/console/insight-row';
import { HOUR_MS, MINUTE_MS } from '../time-units';
import { addRollup, emptyRollup, type MinuteRollup } from './minute-rollup';

/** The length and the number of the steps of each range. */
const INSIGHT_STEPS: Record<InsightRange, { stepMs: number; count: number }> = {
  '1h': { stepMs: MINUTE_MS, count: 60 },
  '24h': { stepMs: 10 * MINUTE_MS, count: 144 },
  '7d': { stepMs: HOUR_MS, count: 168 },
  '30d': { stepMs: 4 * HOUR_MS, count: 180 },
};

/** The start of a range whose last step contains `now`. */
export function rangeBegin(range: InsightRange, now: number): number {
  const { stepMs, count } = INSIGHT_STEPS[range];
  return (Math.floor(now / stepMs) - count + 1) * stepMs;
}

/** Sums minutes into the steps of a range. Minutes outside the range are ignored. */
export class InsightSteps {
  private readonly steps: MinuteRollup[];
  private readonly begin: number;
  private readonly stepMs: number;

  constructor(range: InsightRange, now: number) {
    const { stepMs, count } = INSIGHT_STEPS[range];
    this.stepMs = stepMs;
    this.begin = rangeBegin(range, now);
    this.steps = Array.from({ length: count }, (_, i) => emptyRollup(this.begin + i * stepMs));
  }

  add(rollup: MinuteRollup): void {
    const step = this.steps[Math.floor((rollup.minute - this.begin) / this.stepMs)];
    if (step) addRollup(step, rollup);
  }

  /** The sums as the console shows them, oldest step first. */
  view(): Pick<LockInsight, 'stepMs' | 'points' | 'total' | 'waits' | 'holds'> {
    const total = emptyRollup(this.begin);
    for (const step of this.steps) addRollup(total, step);
    return {
      stepMs: this.stepMs,
      points: this.steps.map((step) => ({ at: step.minute, ...sumView(step) })),
      total: sumView(total),
      waits: total.waits.bars(),
      holds: total.holds.bars(),
    };
  }
}

function sumView(rollup: MinuteRollup): Omit<InsightPoint, 'at'> {
  const { grants, timeouts, expiries, forced, refused, waits, holds } = rollup;
  return {
    grants,
    timeouts,
    expiries,
    forced,
    refused,
    waitP50Ms: waits.quantile(0.5),
    waitP99Ms: waits.quantile(0.99),
    holdP50Ms: holds.quantile(0.5),
    holdP99Ms: holds.quantile(0.99),
  };
}
