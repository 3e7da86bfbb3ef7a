'use client';

import { memo } from 'react';
import { Bar, ComposedChart, ResponsiveContainer } from 'recharts';
import type { InsightPoint, LockInsight } from '@/server/contract/console/insight-row';
import { exactCount, plural } from '@/server/core/format/numbers';
import { countText } from '../format/numbers';
import { useWidth } from '../locks/timeline/use-width';
import { countTicks } from './axes/duration-ticks';
import { AROUND_PLOT_PX, CHART_MARGIN, timeAxes, useTimeAxis } from './axes/time-axes';
import { barPx } from './axes/time-ticks';
import { ChartHead } from './chart-head';
import { abnormalEndsLabel } from './chart-labels';

const PER_BUCKET: Record<LockInsight['range'], string> = {
  '1h': 'min',
  '24h': '10\u00a0min',
  '7d': 'h',
  '30d': '4\u00a0h',
};

const COUNTS = {
  grants: { title: 'Grants', ink: 'var(--bar)' },
  refused: { title: 'Refused attempts', ink: 'var(--contended)' },
} as const;

/** How often the lock was granted, or attempts to acquire it were refused, over time. */
export const CountChart = memo(function CountChart({
  insight,
  of,
}: {
  insight: LockInsight;
  of: keyof typeof COUNTS;
}) {
  const { title, ink } = COUNTS[of];
  const { rows, domain, ticks } = useTimeAxis(insight);
  const max = Math.max(0, ...rows.map((row) => row[of]));
  const { range, total } = insight;
  const { ref, widthPx } = useWidth<HTMLDivElement>(0);
  const barSize = barPx(rows.length, widthPx - AROUND_PLOT_PX);
  return (
    <div>
      <ChartHead title={title}>
        max <b>{countText(max)}</b>/{PER_BUCKET[range]}, <b>{countText(total[of])}</b> total
      </ChartHead>
      <div ref={ref} className="chart chart-times" data-chart={of}>
        <ResponsiveContainer width="100%" height="100%">
          <ComposedChart
            data={rows}
            margin={CHART_MARGIN}
            syncId="insight"
            title={`${title} over time`}
            desc="Use arrow keys to move between buckets."
          >
            {timeAxes({
              range,
              domain,
              ticks,
              yTicks: countTicks(max),
              yText: countText,
              textOf: of === 'grants' ? pointLabel : refusedLabel,
              hasTimes: true,
            })}
            <Bar dataKey={of} fill={ink} barSize={barSize} isAnimationActive={false} />
          </ComposedChart>
        </ResponsiveContainer>
      </div>
    </div>
  );
});

function pointLabel(point: InsightPoint): string {
  const granted = point.grants === 1 ? '1 grant' : `${exactCount(point.grants)} grants`;
  const endings = abnormalEndsLabel(point);
  return endings ? `${granted}, ${endings}` : granted;
}

const refusedLabel = ({ refused }: InsightPoint): string => `${plural(refused, 'attempt')} refused`;
