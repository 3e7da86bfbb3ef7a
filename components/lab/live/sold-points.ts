import type { LabSample } from '@/server/contract/console/lab/lab-run';

/** A point of the chart of what was sold; null: how fast it was there is not known. */
export type SoldPoint = Omit<LabSample, 'opsPerSecond'> & { opsPerSecond: number | null };

/**
 * What was sold over time. Readings come once in a while: the last one is not the end of a strategy
 * that is over.
 *
 * @param endMs when it was over
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
