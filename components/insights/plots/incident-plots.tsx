'use client';

import type { ReactNode } from 'react';
import type { IncidentDetail } from '@/server/contract/console/past/incident';
import { baselineText, durationText, factorText } from '@/server/core/format/durations';
import { exactCount } from '@/server/core/format/numbers';
import { keyed } from '../../format/keyed';
import { shareAt } from '../../locks/timeline/timeline-lanes';
import type { ZoomSpan } from '../../locks/timeline/use-zoom';
import { blockingSeries, incidentP99Ms } from '../incident-timeline';
import {
  endedHolds,
  holdSeries,
  type InstantReading,
  logScale,
  oldestSeries,
} from './instant-reading';

const STEPS = 200;

/** Of the drawings, which are stretched to the available space. */
const WIDTH = 1_000;
const HEIGHT = 100;

interface PlotProps {
  detail: IncidentDetail;
  span: ZoomSpan;
  /** At the instant that is pointed at; null: none is. */
  reading: InstantReading | null;
}

const x = (at: number, span: ZoomSpan) => shareAt(at, span) * WIDTH;
const y = (share: number) => HEIGHT * (0.96 - 0.9 * share);
const point = (left: number, top: number) => `${left.toFixed(1)},${top.toFixed(1)}`;

/** Total blocking time, and the oldest wait, over the span. */
export function WaitsPlot({ detail: { timeline }, span, reading }: PlotProps) {
  const series = blockingSeries(timeline.waits, span, STEPS);
  const max = Math.max(...series.map(({ blockingMs }) => blockingMs));
  if (max === 0) return null;
  const line = series.map(({ at, blockingMs }) => point(x(at, span), y(blockingMs / max)));
  const oldest = oldestSeries(timeline, span, STEPS).map(({ at, ms }) =>
    point(x(at, span), y(ms / max)),
  );
  return (
    <Plot
      title="Waits"
      words={
        reading ? (
          <>
            blocking <b>{durationText(reading.blockingMs)}</b>
            <br />
            oldest <b>{reading.oldestMs === null ? '–' : durationText(reading.oldestMs)}</b>
          </>
        ) : (
          <>
            blocking at most <b>{durationText(max)}</b>
            {timeline.refused.length > 0 && (
              <>
                <br />
                without refused attempts
              </>
            )}
          </>
        )
      }
      look="waits"
    >
      <polygon
        points={`0,${HEIGHT} ${line.join(' ')} ${WIDTH},${HEIGHT}`}
        className="incident-area"
      />
      <polyline points={line.join(' ')} className="incident-line" />
      <polyline points={oldest.join(' ')} className="incident-line" data-dashed="true" />
    </Plot>
  );
}

/**
 * How long the lock had been held, its p99, and each hold that ended, on a logarithmic scale.
 */
export function HoldsPlot({ detail, span, reading }: PlotProps) {
  const { timeline } = detail;
  const p99Ms = incidentP99Ms(detail.incident);
  const series = holdSeries(timeline, span, STEPS);
  const ended = endedHolds(timeline, span);
  const held = series.flatMap(({ heldMs }) => (heldMs === null ? [] : [heldMs]));
  if (held.length + ended.length === 0) return null;
  const scale = logScale([...held, ...ended.map(({ ms }) => ms), ...(p99Ms ? [p99Ms] : [])]);
  const top = (ms: number) => y(scale(ms));
  const most = Math.max(0, ...held, ...ended.map(({ ms }) => ms));
  return (
    <Plot
      title="Holds"
      words={
        reading ? (
          <>
            held <b>{reading.heldMs === null ? '–' : durationText(reading.heldMs)}</b>
            {p99Ms !== null && reading.heldMs !== null && (
              <>
                <br />
                {factorText(reading.heldMs, p99Ms)} p99
              </>
            )}
          </>
        ) : (
          <>
            longest <b>{durationText(most)}</b>
            {p99Ms !== null && (
              <>
                <br />
                p99 {baselineText(p99Ms)}
              </>
            )}
          </>
        )
      }
      look="holds"
    >
      {runsOf(series).map((run) => (
        <polyline
          key={run[0]?.at}
          points={run.map(({ at, heldMs }) => point(x(at, span), top(heldMs))).join(' ')}
          className="incident-line"
        />
      ))}
      {p99Ms !== null && (
        <line
          x1="0"
          x2={WIDTH}
          y1={top(p99Ms)}
          y2={top(p99Ms)}
          className="incident-line"
          data-dashed="true"
        />
      )}
      {keyed(ended, ({ at }) => String(at)).map(({ key, item: { at, ms } }) => (
        // Of no length, with round ends: a circle would be stretched with the drawing.
        <path key={key} d={`M${point(x(at, span), top(ms))}h0`} className="incident-dot" />
      ))}
    </Plot>
  );
}

/** A hold of fewer steps than this is only the dot at its end. */
const RUN_MIN = 6;

/** The parts of a series in which one hold held the lock for long. */
function runsOf(series: ReturnType<typeof holdSeries>) {
  const runs: { at: number; heldMs: number }[][] = [];
  let last: number | null = null;
  for (const { at, heldMs } of series) {
    if (heldMs !== null) {
      if (last === null || heldMs < last) runs.push([]);
      runs.at(-1)?.push({ at, heldMs });
    }
    last = heldMs;
  }
  return runs.filter((run) => run.length >= RUN_MIN);
}

/** Refused attempts, one bar per minute. */
export function RefusalsPlot({ detail: { timeline }, span, reading }: PlotProps) {
  const bars = timeline.refused.filter(({ from, to }) => to >= span.from && from < span.to);
  if (bars.length === 0) return null;
  const max = Math.max(...bars.map(({ attempts }) => attempts));
  const sum = bars.reduce((total, { attempts }) => total + attempts, 0);
  return (
    <Plot
      title="Refusals"
      words={
        reading ? (
          <>
            <b>{exactCount(reading.refused)}</b> so far
            {reading.lastRefusedMs !== null && (
              <>
                <br />
                last {durationText(reading.lastRefusedMs)} ago
              </>
            )}
          </>
        ) : (
          <>
            <b>{exactCount(sum)}</b> {sum === 1 ? 'attempt' : 'attempts'}
            <br />
            at most {exactCount(max)} per minute
          </>
        )
      }
      look="refusals"
    >
      {bars.map(({ from, to, attempts }) => {
        const left = x(from, span);
        return (
          <rect
            key={from}
            x={left}
            y={y(attempts / max)}
            width={Math.max(3, x(to, span) - left - 1)}
            height={HEIGHT - y(attempts / max)}
            className="incident-bar"
          />
        );
      })}
    </Plot>
  );
}

function Plot({
  title,
  words,
  look,
  children,
}: {
  title: string;
  /** Shown beside it: its values at the instant that is pointed at, or over the whole span. */
  words: ReactNode;
  look: 'waits' | 'holds' | 'refusals';
  children: ReactNode;
}) {
  return (
    <figure className="incident-plot" data-plot={look} aria-label={title}>
      <figcaption>
        <h3>{title}</h3>
        <p>{words}</p>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {children}
      </svg>
    </figure>
  );
}

/** The same reading as one sentence. */
export function readingLabel(
  { blockingMs, oldestMs, heldMs, refused }: InstantReading,
  clock: string,
): string {
  const oldest = oldestMs === null ? '' : `, oldest ${durationText(oldestMs)}`;
  const held = heldMs === null ? 'not held' : `held for ${durationText(heldMs)}`;
  const blocking = durationText(blockingMs);
  return `${clock}: blocking ${blocking}${oldest}; ${held}; ${exactCount(refused)} refused so far`;
}
