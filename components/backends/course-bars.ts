import {
  COURSE_SPAN_MS,
  COURSE_STEP_MS,
  type LatencyPoint,
} from '@/server/contract/console/backend-health';
import { latencyText } from '../format/durations';

/** A bar of a chart of response times. */
export interface CourseBar {
  at: number;
  /** The distance from the left edge, in steps. */
  left: number;
  /** The height: 1 for the slowest step, and for one in which the backend failed to serve. */
  share: number;
  isSilent: boolean;
}

/** The steps of the last hour as bars. The scale begins at 0. @param asOf the server's clock */
export function courseBars(points: readonly LatencyPoint[], asOf: number): CourseBar[] {
  const max = Math.max(1, ...latenciesOf(points));
  const end = asOf - (asOf % COURSE_STEP_MS);
  const begin = end - COURSE_SPAN_MS + COURSE_STEP_MS;
  return points
    .filter(({ at }) => at >= begin && at <= end)
    .map(({ at, latencyMs, wasSilent }) => {
      const share = wasSilent ? 1 : (latencyMs ?? 0) / max;
      return { at, left: (at - begin) / COURSE_STEP_MS, share, isSilent: wasSilent };
    });
}

/** The slowest response of each step that has one, in ms. */
export const latenciesOf = (points: readonly LatencyPoint[]): number[] =>
  points.flatMap(({ latencyMs }) => (latencyMs === null ? [] : [latencyMs]));

/** The response times in words, for screen readers. */
export function courseSummary(points: readonly LatencyPoint[]): string {
  const known = latenciesOf(points);
  const silent = points.filter(({ wasSilent }) => wasSilent).length;
  const silence =
    silent === 0 ? '' : `out of service in ${silent} of ${points.length} half-minutes`;
  if (known.length === 0) return silence || 'no readings yet';
  const range = `${latencyText(Math.min(...known))} to ${latencyText(Math.max(...known))}`;
  return silence ? `${range}, ${silence}` : range;
}
