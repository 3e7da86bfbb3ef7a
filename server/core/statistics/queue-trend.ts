/** How often the length of a queue is sampled for its trend. */
export const TREND_SAMPLE_EVERY_MS = 10_000;

/** One minute of samples, including those at both ends. */
export const TREND_SAMPLES = 7;

const SAMPLES_PER_MINUTE = 60_000 / TREND_SAMPLE_EVERY_MS;

/** A line that explains a smaller share of the variance is not a trend. */
const EXPLAINED_MIN = 0.5;

/**
 * By how many waiters a minute a queue grows (negative: shrinks), by linear regression over the
 * last minute; 0 if its length rises and falls without a direction, or hardly changes.
 *
 * @param lengths one every `TREND_SAMPLE_EVERY_MS`, oldest first
 * @returns null for fewer than `TREND_SAMPLES` lengths
 */
export function queueTrend(lengths: readonly number[]): number | null {
  const count = lengths.length;
  if (count < TREND_SAMPLES) return null;
  const middle = (count - 1) / 2;
  const mean = lengths.reduce((sum, length) => sum + length, 0) / count;
  let [product, spread, variance] = [0, 0, 0];
  for (const [i, length] of lengths.entries()) {
    product += (i - middle) * (length - mean);
    spread += (i - middle) ** 2;
    variance += (length - mean) ** 2;
  }
  if (variance === 0 || product ** 2 / (spread * variance) < EXPLAINED_MIN) return 0;
  // Adding 0 turns -0 into 0.
  return Math.round((product / spread) * SAMPLES_PER_MINUTE) + 0;
}
