'use client';

import { useMemo } from 'react';
import { CartesianGrid, Tooltip, XAxis, YAxis } from 'recharts';
import type {
  InsightPoint,
  InsightRange,
  LockInsight,
} from '@/server/contract/console/insight-row';
import { bucketLabel, timeTickLabel, timeTicks } from './time-ticks';

/** Width of the axis labels: the same for all charts, so that their time axes align. */
export const AXIS_PX = 52;

export const CHART_MARGIN = { top: 6, right: 8, bottom: 0, left: 0 };

/** The space left and right of a chart's plot, together. */
export const AROUND_PLOT_PX = AXIS_PX + CHART_MARGIN.left + CHART_MARGIN.right;

/** The points of an insight, from the middle of one step to the next, with the axis's ends. */
export function useTimeAxis({ range, stepMs, points }: LockInsight) {
  return useMemo(() => {
    const from = points[0]?.at ?? 0;
    const to = (points.at(-1)?.at ?? 0) + stepMs;
    const rows = points.map((point) => ({ ...point, middle: point.at + stepMs / 2 }));
    return { rows, domain: [from, to] as [number, number], ticks: timeTicks(range, from, to) };
  }, [range, stepMs, points]);
}

/** The axis of values from 0 to the last of its ticks. Called, not mounted: see `timeAxes`. */
export function valueAxis(ticks: number[], textOf: (value: number) => string) {
  return (
    <YAxis
      width={AXIS_PX}
      ticks={ticks}
      domain={[0, ticks.at(-1) ?? 1]}
      tickFormatter={textOf}
      tickLine={false}
      axisLine={false}
      tick={{ fill: 'var(--t3)', fontSize: 11 }}
      interval={0}
    />
  );
}

/**
 * What all charts over time share: grid lines, axes, and the tooltip of the step under the cursor.
 * Called, not mounted: a chart reads only its direct children.
 */
export function timeAxes({
  range,
  domain,
  ticks,
  yTicks,
  yText,
  textOf,
  hasTimes = false,
}: {
  range: InsightRange;
  domain: [number, number];
  ticks: number[];
  yTicks: number[];
  yText: (value: number) => string;
  /** The text of a step's tooltip. */
  textOf: (point: InsightPoint) => string;
  /** Of charts one below another, only the last labels its times. */
  hasTimes?: boolean;
}) {
  return (
    <>
      <CartesianGrid vertical={false} stroke="var(--line)" />
      <XAxis
        dataKey="middle"
        type="number"
        scale="time"
        domain={domain}
        ticks={ticks}
        tickFormatter={(at: number) => timeTickLabel(range, at)}
        tickLine={false}
        axisLine={{ stroke: 'var(--line2)' }}
        tick={hasTimes && { fill: 'var(--t3)', fontSize: 11 }}
        height={hasTimes ? 22 : 8}
        interval="preserveStartEnd"
        minTickGap={14}
      />
      {valueAxis(yTicks, yText)}
      <Tooltip
        isAnimationActive={false}
        cursor={{ stroke: 'var(--acc)', strokeWidth: 1, fill: 'transparent' }}
        content={({ active, payload }) => {
          const point = payload?.[0]?.payload as InsightPoint | undefined;
          if (!active || !point) return null;
          return (
            <p className="chart-tip">
              <b>{bucketLabel(range, point.at)}</b> {textOf(point)}
            </p>
          );
        }}
      />
    </>
  );
}
