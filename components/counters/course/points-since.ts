import type { CounterCourse } from '@/server/contract/console/counter-row';

type Points = CounterCourse['points'];

/**
 * The points from an instant on. Where older ones are left out, the first is at that instant with
 * the value of the line there, so that a line that was read a while ago still begins at the edge.
 */
export function pointsSince(points: Points, begin: number): Points {
  const first = points.findIndex(({ at }) => at >= begin);
  const before = points.at(first < 0 ? -1 : first - 1);
  if (first === 0 || !before) return [...points];
  const next = points[first];
  if (!next) return [{ at: begin, value: before.value }];
  if (next.at === begin) return points.slice(first);
  const share = (begin - before.at) / (next.at - before.at);
  const value = before.value + share * (next.value - before.value);
  return [{ at: begin, value }, ...points.slice(first)];
}
