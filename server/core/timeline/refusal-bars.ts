import type { RefusalBar } from '../../contract/console/past/lock-timeline';
import { addRefusals, type RefusalCounts } from '../statistics/refusal-counts';
import { MINUTE_MS } from '../time-units';

/** How many owners one bar names. */
const NAMED_MAX = 5;

/**
 * The refused attempts on a lock as bars, one a minute at most.
 *
 * @param parts the counts of each process in each minute
 */
export function refusalBars(
  parts: readonly { minute: number; counts: RefusalCounts }[],
): RefusalBar[] {
  const minutes = new Map<number, RefusalCounts>();
  for (const { minute, counts } of parts) {
    const known = minutes.get(minute);
    minutes.set(minute, known ? addRefusals(known, counts) : counts);
  }
  return [...minutes]
    .sort(([a], [b]) => a - b)
    .map(([minute, { all, owners, others }]) => {
      // The first refusal during the hold may have been in an earlier minute.
      const from = Math.max(minute, all.firstAt);
      const to = Math.min(minute + MINUTE_MS, Math.max(from, all.lastAt));
      const names = owners.slice(0, NAMED_MAX).map(({ owner }) => owner);
      const areMore = others !== null || owners.length > names.length;
      return { from, to, attempts: all.attempts, owners: names, areMore };
    });
}
