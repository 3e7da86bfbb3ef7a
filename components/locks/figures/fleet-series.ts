import type { FleetNow, FleetSample, InsightPoint } from '@/server/contract/console/insight-row';

/** A figure over time, oldest first. */
export interface SeriesPoint {
  at: number;
  value: number;
}

/** How much time it covers, in ms. */
export const spanMsOf = (series: readonly SeriesPoint[]): number =>
  (series.at(-1)?.at ?? 0) - (series[0]?.at ?? 0);

/** The figures by the minute that have a value only if there were grants in that minute. */
type WaitKey = 'waitP50Ms' | 'waitP99Ms';

/** Quantiles older than this many minutes are not shown as present ones. */
const NOW_MINUTES = 5;

/** A figure over the last hour, up to its value now. */
export function sampleSeries(
  { samples, asOf }: FleetNow,
  figure: Exclude<keyof FleetSample, 'at' | 'low'>,
  now: number,
): SeriesPoint[] {
  return [
    ...samples.map((sample) => ({ at: sample.at, value: sample[figure] })),
    { at: asOf, value: now },
  ];
}

/** Grants per second, by minute; the current minute is left out, since it is incomplete. */
export function grantSeries({ minutes }: FleetNow): SeriesPoint[] {
  return minutes.slice(0, -1).map(({ at, grants }) => ({ at, value: grants / 60 }));
}

/** Expired leases, by minute. */
export function expirySeries({ minutes }: FleetNow): SeriesPoint[] {
  return minutes.map(({ at, expiries }) => ({ at, value: expiries }));
}

/** Refused attempts, by minute; the current minute is left out. */
export function refusalSeries({ minutes }: FleetNow): SeriesPoint[] {
  return minutes.slice(0, -1).map(({ at, refused }) => ({ at, value: refused }));
}

/** A quantile of the waits, for the minutes that had any. */
export function waitSeries({ minutes }: FleetNow, key: WaitKey): SeriesPoint[] {
  return minutes.flatMap((point) => {
    const value = point[key];
    return value === null ? [] : [{ at: point.at, value }];
  });
}

/** The newest minute of the last five in which something was granted; null if there is none. */
export function latestWait({ minutes }: FleetNow): InsightPoint | null {
  const recent = minutes.slice(-NOW_MINUTES);
  return recent.findLast(({ waitP99Ms }) => waitP99Ms !== null) ?? null;
}

/**
 * The lowest and the highest reading of a figure in the last hour, the present one included. For
 * the lowest, only times at which all backends were known count, if there were any.
 */
export function sampleRange(
  { samples }: FleetNow,
  figure: keyof NonNullable<FleetSample['low']>,
  now: number,
): [low: number, high: number] {
  const highs = samples.map((sample) => sample[figure]);
  const lows = samples.flatMap(({ low }) => (low ? [low[figure]] : []));
  return [Math.min(now, ...(lows.length > 0 ? lows : highs)), Math.max(now, ...highs)];
}
