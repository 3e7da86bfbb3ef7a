import type { CounterCourse, CounterRow } from '@/server/contract/console/counter-row';
import { HOUR_MS } from '@/server/core/time-units';
import { pointsSince } from './points-since';

const WIDTH = 300;
const EDGE = 2;

/**
 * A counter's value over the last hour, as a line between its bounds; where one is missing, between
 * its lowest and highest value. Decoration beside the value and its rate.
 */
export function ValueLine({
  row: { value, floor, ceiling, isKnown },
  course,
  now,
  height,
}: {
  row: CounterRow;
  course: CounterCourse;
  /** The backend's clock. */
  now: number;
  height: number;
}) {
  const begin = now - HOUR_MS;
  const points = pointsSince(course.points, begin);
  if (isKnown && value !== null) points.push({ at: now, value });
  const [first] = points;
  const last = points.at(-1);
  if (!first || !last) return null;
  const values = points.map((point) => point.value);
  const low = floor ?? Math.min(...values);
  const high = ceiling ?? Math.max(...values);
  const x = (at: number) => (WIDTH * Math.min(1, (at - begin) / HOUR_MS)).toFixed(1);
  const y = (of: number) => {
    const share = high > low ? Math.min(1, Math.max(0, (of - low) / (high - low))) : 0.5;
    return (height - EDGE - (height - 2 * EDGE) * share).toFixed(1);
  };
  const line = points.map((point) => `${x(point.at)},${y(point.value)}`).join(' ');
  return (
    <svg
      aria-hidden="true"
      viewBox={`0 0 ${WIDTH} ${height}`}
      preserveAspectRatio="none"
      className="value-line"
      style={{ height }}
    >
      <polygon
        points={`${x(first.at)},${height} ${line} ${x(last.at)},${height}`}
        fill="currentColor"
        opacity="0.13"
      />
      <polyline
        points={line}
        fill="none"
        stroke="currentColor"
        strokeWidth="1.6"
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
