/** Buckets per power of two: no value is more than 9.1 % from the middle of its bucket. */
const BUCKETS_PER_DOUBLING = 4;

/** Buckets 0 to 127. The last one begins at 35 days and has no end. */
const LAST_BUCKET = 127;

/** The smallest whole millisecond of each bucket, or of the next one if it contains none. */
const LOWEST = Array.from({ length: LAST_BUCKET + 1 }, (_, i) =>
  i === 0 ? 0 : Math.ceil(2 ** ((i - 1) / BUCKETS_PER_DOUBLING)),
);

/** One non-empty bucket: whole milliseconds, `fromMs` inclusive, `toMs` exclusive; null: no end. */
export interface HistogramBar {
  fromMs: number;
  toMs: number | null;
  count: number;
}

/**
 * Counts of durations in fixed logarithmic buckets over whole milliseconds; 0 ms and each of the
 * first few milliseconds have a bucket of their own. All histograms have the same buckets, so
 * merging is lossless in any order.
 */
export class LogHistogram {
  /** Counts by bucket, only those above 0. */
  private readonly counts = new Map<number, number>();
  private total = 0;

  /** How many durations it holds. */
  get count(): number {
    return this.total;
  }

  /** Counts a duration, rounded down; a negative one, from a clock that was set back, as 0. */
  add(durationMs: number): void {
    this.addTo(bucketOf(durationMs), 1);
  }

  /** Adds all counts of the other histogram. */
  addAll(other: LogHistogram): void {
    for (const [bucket, count] of other.counts) this.addTo(bucket, count);
  }

  /** Subtracts counts that were added before. */
  removeAll(other: LogHistogram): void {
    for (const [bucket, count] of other.counts) {
      this.addTo(bucket, -count);
      if (this.counts.get(bucket) === 0) this.counts.delete(bucket);
    }
  }

  /** The sum of these histograms, which stay unchanged. */
  static merge(...histograms: LogHistogram[]): LogHistogram {
    const merged = new LogHistogram();
    for (const histogram of histograms) merged.addAll(histogram);
    return merged;
  }

  /**
   * The duration in milliseconds that a share `q` (0 to 1) did not exceed, by nearest rank: at most
   * 9.1 % off below 35 days, exact where a bucket is one millisecond. Null when empty.
   */
  quantile(q: number): number | null {
    let left = Math.max(1, Math.ceil(q * this.total));
    for (const [bucket, count] of this.inOrder()) {
      left -= count;
      if (left <= 0) return middleOf(bucket);
    }
    return null;
  }

  /** The buckets that are not empty, shortest first. */
  bars(): HistogramBar[] {
    return this.inOrder().map(([bucket, count]) => ({ ...bucketBounds(bucket), count }));
  }

  /** A short ASCII text, which is the same for equal histograms, and empty for an empty one. */
  encode(): string {
    return this.inOrder()
      .map(([bucket, count]) => bucket.toString(36) + (count === 1 ? '' : `:${count.toString(36)}`))
      .join(' ');
  }

  /** @throws Error for a text that `encode` did not make */
  static decode(text: string): LogHistogram {
    const histogram = new LogHistogram();
    for (const part of text === '' ? [] : text.split(' ')) {
      const [, bucket = '', count = '1'] =
        /^([0-9a-z]{1,2})(?::([0-9a-z]{1,11}))?$/.exec(part) ?? [];
      const [index, times] = [Number.parseInt(bucket, 36), Number.parseInt(count, 36)];
      if (!(index <= LAST_BUCKET) || times < 1) throw new Error(`"${text}" is no histogram.`);
      histogram.addTo(index, times);
    }
    return histogram;
  }

  private addTo(bucket: number, count: number): void {
    this.counts.set(bucket, (this.counts.get(bucket) ?? 0) + count);
    this.total += count;
  }

  private inOrder(): [bucket: number, count: number][] {
    return [...this.counts].sort(([a], [b]) => a - b);
  }
}

/** The bounds of the bucket with this number. */
export function bucketBounds(bucket: number): Omit<HistogramBar, 'count'> {
  return { fromMs: lowestOf(bucket), toMs: bucket >= LAST_BUCKET ? null : lowestOf(bucket + 1) };
}

/** The bucket of a duration in milliseconds. */
export function bucketOf(durationMs: number): number {
  if (!(durationMs >= 1)) return 0;
  const whole = Math.floor(durationMs);
  const guess = 1 + Math.floor(Math.log2(whole) * BUCKETS_PER_DOUBLING);
  const bucket = Math.min(LAST_BUCKET, guess);
  // A logarithm may be off by one bit, which at a bound means one bucket.
  if (whole < lowestOf(bucket)) return bucket - 1;
  return bucket < LAST_BUCKET && whole >= lowestOf(bucket + 1) ? bucket + 1 : bucket;
}

/** The geometric middle of the whole milliseconds in a bucket; for the last one, its start. */
function middleOf(bucket: number): number {
  const { fromMs, toMs } = bucketBounds(bucket);
  return toMs === null ? fromMs : Math.sqrt(fromMs * (toMs - 1));
}

function lowestOf(bucket: number): number {
  return LOWEST[bucket] ?? Number.POSITIVE_INFINITY;
}
