'use client';

import { memo } from 'react';
import { ComposedChart, Line, ResponsiveContainer } from 'recharts';
import type { LockInsight } from '@/server/contract/console/insight-row';
import { durationTicks, tickLabel } from './axes/duration-ticks';
import { CHART_MARGIN, timeAxes, useTimeAxis } from './axes/time-axes';
import { ChartHead } from './chart-head';
import { longestP99Ms, quantileLabel } from './chart-labels';
import { valueArea } from './value-area';

const SERIES = {
  wait: {
    title: 'Wait time',
    p50: 'waitP50Ms',
    p99: 'waitP99Ms',
    ink: 'var(--contended)',
    none: 'No grants',
    zero: 'All immediate',
  },
  hold: {
    title: 'Hold time',
    p50: 'holdP50Ms',
    p99: 'holdP99Ms',
    ink: 'var(--held)',
    none: 'No completed holds',
    zero: 'All under 1 ms',
  },
} as const;

/** Wait or hold times over time: p99 as a line with its area, p50 dashed. */
export const DurationChart = memo(function DurationChart({
  insight,
  of,
}: {
  insight: LockInsight;
  of: 'wait' | 'hold';
}) {
  const { title, p50, p99, ink, none, zero } = SERIES[of];
  const { rows, domain, ticks } = useTimeAxis(insight);
  const maxMs = longestP99Ms(insight, of);
  const { range, total } = insight;
  return (
    <div>
      <ChartHead
        title={title}
        lines={[
          { word: 'p99', ink, isDashed: false },
          { word: 'p50', ink, isDashed: true },
        ]}
      >
        p50 <b>{quantileLabel(total[p50])}</b>{' '}
        <span className="pl-2">
          p99 <b>{quantileLabel(total[p99])}</b>
        </span>
      </ChartHead>
      {maxMs === 0 ? (
        <p className="text-12 text-t3">{total[p99] === null ? none : zero}</p>
      ) : (
        <div className="chart" data-chart={of}>
          <ResponsiveContainer width="100%" height="100%">
            <ComposedChart
              data={rows}
              margin={CHART_MARGIN}
              syncId="insight"
              title={`${title} by bucket`}
              desc="Use arrow keys to move between buckets."
            >
              {timeAxes({
                range,
                domain,
                ticks,
                yTicks: durationTicks(maxMs),
                yText: tickLabel,
                textOf: (point) =>
                  point[p99] === null
                    ? 'no data'
                    : `p50 ${quantileLabel(point[p50])} · p99 ${quantileLabel(point[p99])}`,
              })}
              {valueArea(rows, p99, ink)}
              <Line
                dataKey={p50}
                type="linear"
                stroke={ink}
                strokeWidth={1.6}
                strokeDasharray="3 3"
                dot={false}
                activeDot={false}
                isAnimationActive={false}
              />
            </ComposedChart>
          </ResponsiveContainer>
        </div>
      )}
    </div>
  );
});
