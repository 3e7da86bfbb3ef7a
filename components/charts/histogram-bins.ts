import { bucketBounds, bucketOf, type HistogramBar } from '@/server/core/statistics/log-histogram';

/** One bar of a drawn histogram: whole milliseconds from `fromMs` up to, but without, `toMs`. */
export interface Bin extends HistogramBar {
  /** Counted from 0 on the left. */
  position: number;
}

export interface Bins {
  bins: Bin[];
  /** A duration's position among the bars: the middle of the first is 0, of the next 1. */
  positionOf: (ms: number) => number;
  /** Round durations for the axis, each with its position. */
  ticks: { position: number; ms: number }[];
}

/** More bars than these are too thin to be read. */
const BINS_MAX = 32;

/** Fewer bars than these show too little of their position on the axis. */
const BINS_MIN = 20;

const ROUND_MS = [
  ...[1, 10, 100, 1_000, 10_000],
  ...[60_000, 600_000, 3_600_000, 36_000_000, 86_400_000, 864_000_000],
];

/** The minimum ratio of a round duration to one in between: 50 s would crowd the mark of 1 min. */
const SPACING_RATIO = 1.5;

const isTooClose = (ms: number) =>
  ROUND_MS.some((round) => round > ms && round / ms < SPACING_RATIO);

/** Marks for an axis that would have too few round ones: `ROUND_MS` and durations in between. */
const FINE_MS = ROUND_MS.flatMap((ms) => [
  ms,
  ...[2 * ms, 5 * ms].filter((between) => !isTooClose(between)),
]);

const TICKS_MIN = 3;

/**
 * Sets the buckets of a histogram side by side, with the empty ones between them, and merges some
 * where there are too many. Durations of 0 ms have no place on a logarithmic axis.
 *
 * @param ongoingMs a duration that the axis must include, such as that of a current hold; or null
 */
export function histogramBins(bars: readonly HistogramBar[], ongoingMs: number | null): Bins {
  const drawn = bars.filter(({ fromMs }) => fromMs > 0);
  const buckets = [
    ...drawn.map(({ fromMs }) => bucketOf(fromMs)),
    ...(ongoingMs !== null && ongoingMs >= 1 ? [bucketOf(ongoingMs)] : []),
  ];
  if (buckets.length === 0) return { bins: [], positionOf: () => 0, ticks: [] };
  const [low, high] = [Math.min(...buckets), Math.max(...buckets)];
  const perBin = bucketsPerBin(low, high);
  const needed = Math.floor(high / perBin) - Math.floor(low / perBin) + 1;
  const first = Math.max(0, Math.floor(low / perBin) - Math.floor(paddingFor(needed) / 2));
  const count = needed + paddingFor(needed);
  const bins = Array.from({ length: count }, (_, position): Bin => {
    const { fromMs } = bucketBounds(Math.max(1, (first + position) * perBin));
    const { toMs } = bucketBounds((first + position + 1) * perBin - 1);
    return { position, fromMs, toMs, count: 0 };
  });
  for (const bar of drawn) {
    const bin = bins[Math.floor(bucketOf(bar.fromMs) / perBin) - first];
    if (bin) bin.count += bar.count;
  }
  const positionOf = (ms: number) => exactBucket(ms) / perBin - first - 0.5;
  const ticksOf = (durations: number[]) =>
    durations
      .map((ms) => ({ position: positionOf(ms), ms }))
      .filter(({ position }) => position >= -0.5 && position <= count - 0.5);
  const ticks = ticksOf(ROUND_MS);
  return {
    bins,
    positionOf,
    ticks: ticks.length < TICKS_MIN ? ticksOf(FINE_MS) : ticks,
  };
}

/** Empty bars to add around a few, so that these do not fill a chart's width alone. */
const paddingFor = (count: number) => Math.max(0, BINS_MIN - count);

function bucketsPerBin(low: number, high: number): number {
  for (const perBin of [1, 2, 4]) {
    if (Math.floor(high / perBin) - Math.floor(low / perBin) < BINS_MAX) return perBin;
  }
  return 8;
}

/** Buckets begin at quarter powers of two; between two of them this increases evenly. */
const exactBucket = (ms: number) => 1 + 4 * Math.log2(Math.max(1, ms));
