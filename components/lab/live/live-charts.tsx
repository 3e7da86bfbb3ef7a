'use client';

import {
  CartesianGrid,
  ComposedChart,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
  XAxis,
} from 'recharts';
import { exactCount } from '@/server/core/format/numbers';
import { countTicks } from '../../charts/axes/duration-ticks';
import { CHART_MARGIN, valueAxis } from '../../charts/axes/time-axes';
import { ChartHead } from '../../charts/chart-head';
import { valueArea } from '../../charts/value-area';
import { countText } from '../../format/numbers';
import type { RaceChartsProps } from './race-charts';
import { raceTickLabel, raceTicks } from './race-ticks';
import { type SoldPoint, soldPoints } from './sold-points';

/** See `RaceCharts`. */
export default function LiveCharts({ samples, stock, longestMs, result }: RaceChartsProps) {
  const last = samples.at(-1);
  const sold = (result ?? last)?.sold ?? 0;
  const isOver = sold > stock;
  const soldTicks = countTicks(Math.max(1.2 * stock, sold));
  const opsTicks = countTicks(Math.max(1, ...samples.map(({ opsPerSecond }) => opsPerSecond)));
  const endMs = Math.max(longestMs, last?.elapsedMs ?? 0);
  const points = soldPoints(samples, longestMs, result?.sold ?? null);
  return (
    <>
      <div>
        <ChartHead title="Sold">
          <b className={isOver ? 'text-dangertext!' : ''}>{exactCount(sold)}</b> of{' '}
          {exactCount(stock)}
        </ChartHead>
        <Chart
          points={points}
          of="sold"
          ink={isOver ? 'var(--danger)' : 'var(--acc)'}
          ticks={soldTicks}
          endMs={endMs}
          stock={stock}
        />
      </div>
      <div>
        <ChartHead title="Operations per second">
          <b>{exactCount(Math.round((result ?? last)?.opsPerSecond ?? 0))}</b>{' '}
          {result ? 'on average' : 'now'}
        </ChartHead>
        <Chart points={points} of="opsPerSecond" ink="var(--held)" ticks={opsTicks} endMs={endMs} />
      </div>
    </>
  );
}

const TITLES = { sold: 'Units sold over time', opsPerSecond: 'Operations per second over time' };

function Chart({
  points,
  of,
  ink,
  ticks,
  endMs,
  stock,
}: {
  points: readonly SoldPoint[];
  of: 'sold' | 'opsPerSecond';
  ink: string;
  ticks: number[];
  endMs: number;
  stock?: number;
}) {
  return (
    <div className="chart chart-times" data-chart={of}>
      <ResponsiveContainer width="100%" height="100%">
        <ComposedChart
          data={points}
          margin={CHART_MARGIN}
          syncId="race"
          title={TITLES[of]}
          desc="Use arrow keys to move between readings."
        >
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis
            dataKey="elapsedMs"
            type="number"
            domain={[0, endMs]}
            ticks={raceTicks(endMs)}
            tickFormatter={raceTickLabel}
            tickLine={false}
            axisLine={{ stroke: 'var(--line2)' }}
            tick={{ fill: 'var(--t3)', fontSize: 11 }}
            height={22}
          />
          {valueAxis(ticks, countText)}
          <Tooltip
            isAnimationActive={false}
            cursor={{ stroke: 'var(--acc)', strokeWidth: 1 }}
            content={({ active, payload }) => {
              const sample = payload?.[0]?.payload as SoldPoint | undefined;
              if (!active || !sample) return null;
              return (
                <p className="chart-tip">
                  <b>{(sample.elapsedMs / 1_000).toFixed(1)}&nbsp;s</b> {exactCount(sample.sold)}{' '}
                  sold
                  {sample.opsPerSecond !== null &&
                    `, ${exactCount(Math.round(sample.opsPerSecond))} per second`}
                </p>
              );
            }}
          />
          {stock !== undefined && (
            <ReferenceLine y={stock} stroke="var(--t1)" strokeWidth={1.6} ifOverflow="hidden" />
          )}
          {valueArea(points, of, ink)}
        </ComposedChart>
      </ResponsiveContainer>
    </div>
  );
}
