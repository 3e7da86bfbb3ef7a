'use client';

import { memo } from 'react';
import { ResponsiveContainer, Scatter, ScatterChart, XAxis, YAxis } from 'recharts';
import type { LockInsight } from '@/server/contract/console/insight-row';
import { exactCount } from '@/server/core/format/numbers';
import { AXIS_PX, CHART_MARGIN, useTimeAxis } from './axes/time-axes';
import { ChartHead } from './chart-head';

const LANES = [
  { key: 'expiries', word: 'Expired', ink: 'var(--expired)' },
  { key: 'forced', word: 'Forced', ink: 'var(--acc)' },
  { key: 'timeouts', word: 'Timeouts', ink: 'var(--contended)' },
] as const;

/** When leases expired, holds were forced and waiters timed out: a row each, with marks. */
export const AbnormalEndsChart = memo(function AbnormalEndsChart({
  insight,
}: {
  insight: LockInsight;
}) {
  const { rows, domain } = useTimeAxis(insight);
  const { total } = insight;
  const isEmpty = LANES.every(({ key }) => total[key] === 0);
  return (
    <div>
      <ChartHead title="Abnormal ends">
        {LANES.map(({ key, word }) => (
          <span key={key} className="pl-3">
            {word.toLowerCase()} <b>{exactCount(total[key])}</b>
          </span>
        ))}
      </ChartHead>
      {isEmpty ? (
        <p className="text-12 text-t3">None</p>
      ) : (
        <div className="chart chart-lanes" data-chart="endings">
          <ResponsiveContainer width="100%" height="100%">
            <ScatterChart margin={{ ...CHART_MARGIN, top: 0 }} accessibilityLayer={false}>
              <XAxis dataKey="middle" type="number" scale="time" domain={domain} hide />
              <YAxis
                dataKey="lane"
                type="number"
                width={AXIS_PX}
                domain={[-0.5, 2.5]}
                ticks={[0, 1, 2]}
                tickFormatter={(lane: number) => LANES[lane]?.word ?? ''}
                reversed
                tickLine={false}
                axisLine={false}
                tick={{ fill: 'var(--t3)', fontSize: 11 }}
                interval={0}
              />
              {LANES.map(({ key, ink }, lane) => (
                <Scatter
                  key={key}
                  data={rows.filter((row) => row[key] > 0).map(({ middle }) => ({ middle, lane }))}
                  shape={<Mark ink={ink} />}
                  isAnimationActive={false}
                />
              ))}
            </ScatterChart>
          </ResponsiveContainer>
        </div>
      )}
    </div>
  );
});

function Mark({ cx = 0, cy = 0, ink }: { cx?: number; cy?: number; ink: string }) {
  return <rect x={cx - 2.5} y={cy - 5} width={5} height={10} rx={1.5} fill={ink} />;
}
