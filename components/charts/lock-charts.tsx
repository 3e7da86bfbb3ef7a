'use client';

import type { LockInsight } from '@/server/contract/console/insight-row';
import { AbnormalEndsChart } from './abnormal-ends-chart';
import { DurationChart } from './duration-chart';
import { DurationHistogram } from './duration-histogram';
import { GrantsChart } from './grants-chart';

/**
 * All charts of one lock. The chart library is large, so this is loaded separately, and only where
 * it is shown.
 */
export default function LockCharts({
  insight,
  heldMs,
  waitedMs,
}: {
  insight: LockInsight;
  /** How long it has been held so far; null while it is not held. */
  heldMs: number | null;
  /** How long the longest waiter has waited; null without waiters. */
  waitedMs: number | null;
}) {
  const { total, waits, holds } = insight;
  return (
    <div className="charts">
      <div className="charts-over-time">
        <DurationChart insight={insight} of="wait" />
        <DurationChart insight={insight} of="hold" />
        <AbnormalEndsChart insight={insight} />
        <GrantsChart insight={insight} />
      </div>
      <div className="charts-histograms">
        <DurationHistogram
          title="Wait time distribution"
          bars={waits}
          p50Ms={total.waitP50Ms}
          p99Ms={total.waitP99Ms}
          nowMs={waitedMs}
          zeroLabel="immediate"
          emptyLabel="No waits"
        />
        <DurationHistogram
          title="Hold time distribution"
          bars={holds}
          p50Ms={total.holdP50Ms}
          p99Ms={total.holdP99Ms}
          nowMs={heldMs}
          zeroLabel="under 1 ms"
          emptyLabel="No completed holds"
        />
      </div>
    </div>
  );
}
