import type { LockInsight } from '@/server/contract/console/insight-row';

/**
 * The steps of an insight that a zoom shows, at least two; figures stay those of the whole range.
 */
export function zoomedInsight(
  insight: LockInsight,
  zoom: { from: number; to: number } | null,
): LockInsight {
  if (!zoom) return insight;
  const { points, stepMs } = insight;
  const first = points.findIndex(({ at }) => at + stepMs > zoom.from);
  const end = points.findIndex(({ at }) => at >= zoom.to);
  const last = points.length - 2;
  const begin = Math.max(0, first < 0 ? last : Math.min(first, last));
  const stop = Math.max(begin + 2, end < 0 ? points.length : end);
  return { ...insight, points: points.slice(begin, stop) };
}

/**
 * The zoom if a part of it is in the range of an insight; else null: time has passed, or another
 * range was chosen.
 */
export function zoomWithin<Zoom extends { from: number; to: number }>(
  { points, stepMs }: Pick<LockInsight, 'points' | 'stepMs'>,
  zoom: Zoom | null,
): Zoom | null {
  const begin = points[0]?.at ?? 0;
  const end = (points.at(-1)?.at ?? begin) + stepMs;
  return zoom && zoom.to > begin && zoom.from < end ? zoom : null;
}
