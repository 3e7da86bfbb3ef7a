import { HOUR_MS, MINUTE_MS, SECOND_MS } from '@/server/core/time-units';
import { formatInstant, secondText, type Zone } from '../../format/instants';

/** Usual steps between labels; the first that results in few enough labels is used. */
const STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
  ...[1, 2, 3, 4, 6, 12, 24, 48, 120].map((hours) => hours * HOUR_MS),
];

export interface TimelineTick {
  at: number;
  label: string;
}

/**
 * Labelled instants of the reader's clock from `from` to `to`, at most `max`. Midnight is labelled
 * with the day that begins.
 */
export function timelineTicks(from: number, to: number, max: number): TimelineTick[] {
  const spanMs = to - from;
  const stepMs = STEPS_MS.find((step) => spanMs / step <= max) ?? spanMs / max;
  const format = formatOf(stepMs);
  const ticks: TimelineTick[] = [];
  const isLong = stepMs > HOUR_MS;
  const passedMs = isLong ? 0 : from - stepFromMidnight(from, 0, isLong);
  for (let count = Math.floor(passedMs / stepMs); ; count += 1) {
    const at = stepFromMidnight(from, count * stepMs, isLong);
    if (!(at <= to)) return ticks;
    if (at < from) continue;
    ticks.push({ at, label: formatInstant(at, undefined, isMidnight(at) ? DAY : format) });
  }
}

/**
 * The instant this long after the midnight before `from`. Steps longer than an hour follow the
 * local clock, so that labels stay round on a day on which it changes. Shorter steps follow elapsed
 * time: if an hour occurs twice, both are labelled.
 */
function stepFromMidnight(from: number, ms: number, isLong: boolean): number {
  const day = new Date(from);
  day.setHours(0, 0, 0, 0);
  return isLong ? day.setMilliseconds(ms) : day.getTime() + ms;
}

const isMidnight = (at: number): boolean => new Date(at).setHours(0, 0, 0, 0) === at;

const DAY: Intl.DateTimeFormatOptions = { day: 'numeric', month: 'short' };

function formatOf(stepMs: number): Intl.DateTimeFormatOptions {
  if (stepMs >= 24 * HOUR_MS) return DAY;
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return stepMs < MINUTE_MS ? { ...clock, second: '2-digit' } : clock;
}

/** The instant with seconds, for a bar's beginning or end; with its date unless that is today's. */
export const clockLabel = (at: number, now: number, zone?: Zone): string =>
  secondText(at, now, zone);
