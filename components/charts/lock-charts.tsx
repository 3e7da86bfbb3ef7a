'use client';

import type { LockInsight } from '@/server/contract/console/insight-row';
import { AbnormalEndsChart } from './abnormal-ends-chart';
import { CountChart } from './count-chart';
import { DurationChart } from './duration-chart';
import { DurationHistogram } from './duration-histogram';

/** All charts of one lock. Loaded on demand, since the chart library is large. */
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
  return (
    <div className="charts">
      <div className="charts-over-time">
        <DurationChart insight={insight} of="wait" />
        <DurationChart insight={insight} of="hold" />
        <AbnormalEndsChart insight={insight} />
        <CountChart insight={insight} of="grants" />
        {insight.total.refused > 0 && <CountChart insight={insight} of="refused" />}
      </div>
      <div className="charts-histograms">
        <DurationHistogram insight={insight} of="wait" nowMs={waitedMs} />
        <DurationHistogram insight={insight} of="hold" nowMs={heldMs} />
      </div>
    </div>
  );
}
