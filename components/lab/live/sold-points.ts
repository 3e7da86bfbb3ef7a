import type { LabSample } from '@/server/contract/console/lab/lab-run';

/** A point of the chart of units sold; `opsPerSecond` is null where the speed is not known. */
export type SoldPoint = Omit<LabSample, 'opsPerSecond'> & { opsPerSecond: number | null };

/**
 * The units sold over time, from the start, when there were none. A strategy that has ended gets a
 * point for its end, since its last reading may be earlier; without a reading it has no points.
 *
 * @param endMs when it ended
 * @param sold by then; null while it runs
 */
export function soldPoints(
  samples: readonly LabSample[],
  endMs: number,
  sold: number | null,
): SoldPoint[] {
  const [first] = samples;
  const last = samples.at(-1);
  if (sold !== null && !last) return [];
  const points: SoldPoint[] = [...samples];
  if (first?.elapsedMs !== 0) points.unshift({ elapsedMs: 0, sold: 0, opsPerSecond: null });
  if (sold !== null && last && last.elapsedMs < endMs) {
    points.push({ ...last, elapsedMs: endMs, sold, opsPerSecond: null });
  }
  return points;
}
