'use client';

import { memo, useMemo } from 'react';
import { Bar, BarChart, ReferenceLine, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import type { LockInsight } from '@/server/contract/console/insight-row';
import { durationText } from '@/server/core/format/durations';
import { exactCount } from '@/server/core/format/numbers';
import { countTicks, tickLabel } from './axes/duration-ticks';
import { ChartHead } from './chart-head';
import { quantileLabel } from './chart-labels';
import { type Bin, histogramBins } from './histogram-bins';

/** Below this distance, as a share of the axis, the labels above two marks would overlap. */
const OVERLAP_SHARE = 0.1;
const LABEL_SHIFT_PX = 12;

/** `zeroLabel` names the durations of 0 ms, which have no place on a logarithmic axis. */
const SERIES = {
  wait: {
    title: 'Wait time distribution',
    bars: 'waits',
    p50: 'waitP50Ms',
    p99: 'waitP99Ms',
    zeroLabel: 'immediate',
    emptyLabel: 'No waits',
    nowLabel: 'Waiting now:',
  },
  hold: {
    title: 'Hold time distribution',
    bars: 'holds',
    p50: 'holdP50Ms',
    p99: 'holdP99Ms',
    zeroLabel: 'under 1 ms',
    emptyLabel: 'No completed holds',
    nowLabel: 'Held now:',
  },
} as const;

/** A histogram of durations on a logarithmic axis, with p50, p99 and the current one. */
export const DurationHistogram = memo(function DurationHistogram({
  insight,
  of,
  nowMs,
}: {
  insight: LockInsight;
  of: 'wait' | 'hold';
  /** How long a current wait or hold has lasted; null if there is none. */
  nowMs: number | null;
}) {
  const { title, zeroLabel, emptyLabel, nowLabel, ...keys } = SERIES[of];
  const bars = insight[keys.bars];
  const { [keys.p50]: p50Ms, [keys.p99]: p99Ms } = insight.total;
  const { bins, positionOf, ticks } = useMemo(() => histogramBins(bars, nowMs), [bars, nowMs]);
  const zero = bars.find(({ fromMs }) => fromMs === 0)?.count ?? 0;
  const total = bars.reduce((sum, { count }) => sum + count, 0);
  const doOverlap =
    p50Ms !== null &&
    p99Ms !== null &&
    positionOf(p99Ms) - positionOf(p50Ms) < OVERLAP_SHARE * bins.length;
  const max = Math.max(1, ...bins.map(({ count }) => count));
  return (
    <div>
      <ChartHead title={title}>
        {zero > 0 && (
          <>
            <b>{exactCount(zero)}</b> of{' '}
          </>
        )}
        <b>{exactCount(total)}</b>
        {zero > 0 && ` ${zeroLabel}`}
      </ChartHead>
      {total === zero ? (
        <p className="text-12 text-t3">
          {zero === 0 && `${emptyLabel}. `}
          {nowMs !== null && `${nowLabel} ${durationText(nowMs)}`}
        </p>
      ) : (
        <div className="chart chart-tall" data-chart={`histogram ${title}`}>
          <ResponsiveContainer width="100%" height="100%">
            <BarChart
              data={bins}
              margin={{ top: 32, right: 16, bottom: 0, left: 16 }}
              barCategoryGap={1}
              title={title}
              desc="Use arrow keys to move between bars."
            >
              <XAxis
                dataKey="position"
                type="number"
                domain={[-0.5, bins.length - 0.5]}
                ticks={ticks.map(({ position }) => position)}
                tickFormatter={(place: number) =>
                  tickLabel(ticks.find((tick) => tick.position === place)?.ms ?? 0)
                }
                tickLine={false}
                axisLine={{ stroke: 'var(--line2)' }}
                tick={{ fill: 'var(--t3)', fontSize: 11 }}
                height={22}
                interval="preserveStartEnd"
                minTickGap={8}
              />
              <YAxis hide domain={[0, countTicks(max).at(-1) ?? 1]} />
              <Tooltip
                isAnimationActive={false}
                cursor={{ fill: 'var(--s3)' }}
                content={({ active, payload }) => {
                  const bin = payload?.[0]?.payload as Bin | undefined;
                  return active && bin ? <p className="chart-tip">{binLabel(bin)}</p> : null;
                }}
              />
              <Bar
                dataKey="count"
                fill="var(--bar)"
                barSize={Math.max(2, Math.floor(230 / bins.length))}
                radius={[1.5, 1.5, 0, 0]}
                isAnimationActive={false}
              />
              {marks(p50Ms, p99Ms, nowMs).map(({ word, ms, ink, aside }) => (
                <ReferenceLine
                  key={word}
                  x={Math.min(bins.length - 0.5, Math.max(-0.5, positionOf(ms)))}
                  stroke={ink}
                  strokeDasharray="2 3"
                  label={{
                    value: word,
                    position: 'top',
                    fill: ink,
                    fontSize: 11,
                    dx: doOverlap ? aside : 0,
                    dy: word === 'now' ? -12 : 0,
                  }}
                />
              ))}
            </BarChart>
          </ResponsiveContainer>
        </div>
      )}
    </div>
  );
});

/** A quantile that is null, or 0 ms, has no mark. */
function marks(p50Ms: number | null, p99Ms: number | null, nowMs: number | null) {
  return [
    { word: 'p50', ms: p50Ms, ink: 'var(--t2)', aside: -LABEL_SHIFT_PX },
    { word: 'p99', ms: p99Ms, ink: 'var(--t2)', aside: LABEL_SHIFT_PX },
    { word: 'now', ms: nowMs, ink: 'var(--contended)', aside: 0 },
  ].flatMap(({ ms, ...mark }) => (ms !== null && ms >= 1 ? [{ ...mark, ms }] : []));
}

function binLabel({ fromMs, toMs, count }: Bin): string {
  const span =
    toMs === null
      ? `≥ ${quantileLabel(fromMs)}`
      : `${quantileLabel(fromMs)}–${quantileLabel(toMs)}`;
  return `${span}: ${exactCount(count)}`;
}
