import type { LabSample } from '@/server/contract/console/lab/lab-run';

/** A point of the chart of units sold; `opsPerSecond` is null where the speed is not known. */
export type SoldPoint = Omit<LabSample, 'opsPerSecond'> & { opsPerSecond: number | null };

/**
 * The units sold over time. A strategy that has ended gets a point for its end, since its last
 * reading may be earlier.
 *
 * @param endMs when it ended
 * @param sold by then; null while it runs
 */
export function soldPoints(
  samples: readonly LabSample[],
  endMs: number,
  sold: number | null,
): SoldPoint[] {
  const last = samples.at(-1);
  if (sold === null || !last || last.elapsedMs >= endMs) return [...samples];
  return [...samples, { ...last, elapsedMs: endMs, sold, opsPerSecond: null }];
}
