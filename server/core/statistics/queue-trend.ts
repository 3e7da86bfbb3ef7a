/** How often the length of a queue is noted for its trend. */
export const TREND_SAMPLE_EVERY_MS = 10_000;

/** One minute of samples, those at both of its ends included. */
export const TREND_SAMPLES = 7;

const SAMPLES_A_MINUTE = 60_000 / TREND_SAMPLE_EVERY_MS;

/** A line that explains less of the variance than this is no trend. */
const EXPLAINED_MIN = 0.5;

/**
 * By how many waiters a minute a queue grows; negative: it shrinks. From the line that fits the
 * last minute best; 0 where its length goes up and down without a direction, or hardly changes.
 *
 * @param lengths one every `TREND_SAMPLE_EVERY_MS`, the oldest first
 * @returns null with fewer than `TREND_SAMPLES` of them
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
  return Math.round((product / spread) * SAMPLES_A_MINUTE) + 0;
}
