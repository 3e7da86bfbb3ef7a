/** Position of a lock's own p99 on its range bar, in percent: the same in every row. */
export const P99_POSITION = 60;

/** How much further right a duration ten times as long is. */
const DECADE = 30;

/** A hold that is this many times its own p99 is far beyond its history; marked on the bar. */
const FAR_FACTOR = 5;

/** Position of the mark at `FAR_FACTOR`. */
export const FAR_POSITION = P99_POSITION + DECADE * Math.log10(FAR_FACTOR);

const FIRST = 2;
const LAST = 98.5;

/** A duration's position on the range bar for this p99: logarithmic, in percent, within the bar. */
export function rangePosition(ms: number, p99Ms: number): number {
  const decades = Math.log10(Math.max(ms, 0.001) / Math.max(1, p99Ms));
  return Math.min(LAST, Math.max(FIRST, P99_POSITION + DECADE * decades));
}
