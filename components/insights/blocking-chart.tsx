'use client';

import type { IncidentDetail } from '@/server/contract/console/past/incident';
import { durationText } from '../format/durations';
import { shareAt } from '../locks/timeline/timeline-lanes';
import { clockLabel } from '../locks/timeline/timeline-ticks';
import type { ZoomSpan } from '../locks/timeline/use-zoom';
import { blockingSeries } from './incident-timeline';

const STEPS = 200;

/** Total blocking time over the span of a timeline, with where the incident began and ended. */
export function BlockingChart({
  detail: { incident, timeline },
  span,
}: {
  detail: IncidentDetail;
  span: ZoomSpan;
}) {
  const series = blockingSeries(timeline.waits, span, STEPS);
  const max = Math.max(...series.map(({ blockingMs }) => blockingMs));
  if (max === 0) return null;
  const points = series.map(({ at, blockingMs }) => {
    const y = 100 - (blockingMs / max) * 92;
    return `${(shareAt(at, span) * 1_000).toFixed(1)},${y.toFixed(1)}`;
  });
  const instants = [
    { at: incident.beganAt, label: `began ${clockLabel(incident.beganAt)}` },
    ...(incident.endedAt === null
      ? []
      : [{ at: incident.endedAt, label: `ended ${clockLabel(incident.endedAt)}` }]),
  ].filter(({ at }) => at >= span.from && at <= span.to);
  const most = durationText(max);
  return (
    <figure className="blocking" aria-label={`Total blocking time, at most ${most}`}>
      <figcaption className="blocking-scale" aria-hidden="true">
        <span>blocking</span>
        <b>{most}</b>
      </figcaption>
      <div className="blocking-plot">
        <svg viewBox="0 0 1000 100" preserveAspectRatio="none" aria-hidden="true">
          <polygon points={`0,100 ${points.join(' ')} 1000,100`} className="blocking-area" />
          <polyline points={points.join(' ')} className="blocking-line" />
        </svg>
        {instants.map(({ at, label }) => (
          <span
            key={label}
            className="blocking-mark"
            data-end={at === incident.endedAt}
            data-leftward={shareAt(at, span) > 0.8}
            style={{ left: `${shareAt(at, span) * 100}%` }}
          >
            <span>{label}</span>
          </span>
        ))}
      </div>
    </figure>
  );
}
