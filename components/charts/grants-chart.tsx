'use client';

import { Bar, ComposedChart, ResponsiveContainer } from 'recharts';
import type { InsightPoint, LockInsight } from '@/server/contract/console/insight-row';
import { countText, exactCount } from '../format/numbers';
import { ChartHead } from './chart-head';
import { abnormalEndsLabel } from './chart-labels';
import { countTicks } from './duration-ticks';
import { CHART_MARGIN, timeAxes, useTimeAxis } from './time-axes';

const PER_BUCKET: Record<LockInsight['range'], string> = {
  '1h': 'min',
  '24h': '10\u00a0min',
  '7d': 'h',
  '30d': '4\u00a0h',
};

/** How often the lock was granted over time. */
export function GrantsChart({ insight }: { insight: LockInsight }) {
  const { rows, domain, ticks } = useTimeAxis(insight);
  const max = Math.max(0, ...rows.map(({ grants }) => grants));
  const { range, total } = insight;
  return (
    <div>
      <ChartHead title="Grants">
        max <b>{countText(max)}</b>/{PER_BUCKET[range]}, <b>{countText(total.grants)}</b> total
      </ChartHead>
      <div className="chart chart-times" data-chart="grants">
        <ResponsiveContainer width="100%" height="100%">
          <ComposedChart
            data={rows}
            margin={CHART_MARGIN}
            syncId="insight"
            title="Grants over time"
            desc="Use arrow keys to move between buckets."
          >
            {timeAxes({
              range,
              domain,
              ticks,
              yTicks: countTicks(max),
              yText: countText,
              told: pointLabel,
              hasTimes: true,
            })}
            <Bar
              dataKey="grants"
              fill="var(--bar)"
              barSize={barPx(rows.length)}
              isAnimationActive={false}
            />
          </ComposedChart>
        </ResponsiveContainer>
      </div>
    </div>
  );
}

const barPx = (steps: number) => (steps > 100 ? 3 : 7);

function pointLabel(point: InsightPoint): string {
  const granted = point.grants === 1 ? '1 grant' : `${exactCount(point.grants)} grants`;
  const endings = abnormalEndsLabel(point);
  return endings ? `${granted}, ${endings}` : granted;
}
