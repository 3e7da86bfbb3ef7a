import type { InsightRange } from '../../contract/console/insight-row';
import type { Overview } from '../../contract/console/past/overview';
import type { Clock } from '../../platform/clock';
import { SerialQueue } from '../../platform/serial-queue';
import type { HeatTable } from '../incidents/heat-table';
import { SharedReadings } from '../shared-readings';
import type { LockInsights } from './lock-insights';

/** How long a reading of a range is shared, however many viewers there are. */
const FRESH_MS: Record<InsightRange, number> = {
  '1h': 5_000,
  '24h': 30_000,
  '7d': 2 * 60_000,
  '30d': 5 * 60_000,
};

/** All locks together over a range of time. All viewers share one reading. */
export class OverviewView {
  private readonly turns = new SerialQueue();
  private readonly readings: SharedReadings<Overview>;

  /** @param storeIds the ids under which the roll-ups of all backends are stored */
  constructor(
    private readonly storeIds: string[],
    private readonly insights: Pick<LockInsights, 'ofAll'>,
    private readonly heat: Pick<HeatTable, 'map'>,
    private readonly clock: Clock,
  ) {
    this.readings = new SharedReadings(clock, FRESH_MS['30d']);
  }

  of(range: InsightRange): Promise<Overview> {
    return this.readings.get(range, () => this.read(range), FRESH_MS[range]);
  }

  /** A range that ended at an instant. Each reading serves one viewer, one after another. */
  asOf(range: InsightRange, at: number): Promise<Overview> {
    return this.turns.run(() => this.read(range, at));
  }

  private async read(range: InsightRange, asOf = this.clock.now()): Promise<Overview> {
    const sums = await this.insights.ofAll(this.storeIds, range, asOf);
    const heat = await this.heat.map(range, asOf, this.clock.now());
    return { range, ...sums, heat, asOf };
  }
}
