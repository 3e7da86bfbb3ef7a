import type { InsightRange } from '@/server/contract/console/insight-row';
import { MINUTE_MS } from '@/server/core/time-units';
import { formatInstant, type Zone } from '../../format/instants';

/** The distance of two labels of a time axis: minutes in ranges up to a day, else days. */
const TICK_EVERY: Record<InsightRange, { minutes: number } | { days: number }> = {
  '1h': { minutes: 10 },
  '24h': { minutes: 4 * 60 },
  '7d': { days: 1 },
  '30d': { days: 5 },
};

/** The labelled instants of a time axis from `from` to `to`: round ones of the reader's clock. */
export function timeTicks(range: InsightRange, from: number, to: number): number[] {
  const every = TICK_EVERY[range];
  const ticks: number[] = [];
  const day = new Date(from);
  toMidnight(day, 0);
  while (day.getTime() <= to) {
    if ('days' in every) {
      ticks.push(day.getTime());
      toMidnight(day, every.days);
      continue;
    }
    // Hours are those of the local clock, so that they stay round on a day on which it changes;
    // minutes are elapsed time, so that an hour that occurs twice is labelled twice.
    const areHours = every.minutes % 60 === 0;
    const begin = day.getTime();
    toMidnight(day, 1);
    for (let passed = 0; ; passed += every.minutes) {
      const at = areHours ? new Date(begin).setHours(0, passed) : begin + passed * MINUTE_MS;
      if (at >= day.getTime()) break;
      ticks.push(at);
    }
  }
  return ticks.filter((at) => at >= from && at <= to);
}

/** Some zones change their clocks at midnight: then that day begins later, but not the next. */
function toMidnight(day: Date, daysLater: number): void {
  day.setDate(day.getDate() + daysLater);
  day.setHours(0, 0, 0, 0);
}

const BAR_MAX_PX = 7;
const THIN_BAR_MAX_PX = 3;

/** The width of a bar of a plot with `steps` bars: a pixel less than a step, and at least one. */
export function barPx(steps: number, plotPx: number): number {
  const maxPx = steps > 100 ? THIN_BAR_MAX_PX : BAR_MAX_PX;
  return Math.min(maxPx, Math.max(1, Math.floor(plotPx / steps) - 1));
}

const FORMATS: Record<InsightRange, Intl.DateTimeFormatOptions> = {
  '1h': { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  '24h': { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  '7d': { weekday: 'short', day: 'numeric' },
  '30d': { day: 'numeric', month: 'short' },
};

/** A label of a time axis: 14:10, Fri 20, 20 Nov. */
export const timeTickLabel = (range: InsightRange, at: number): string =>
  formatInstant(at, undefined, FORMATS[range]);

/** When a step was: 14:10 within a day, else with its day. */
export function bucketLabel(range: InsightRange, at: number, zone?: Zone): string {
  const isShort = range === '1h' || range === '24h';
  const date: Intl.DateTimeFormatOptions = isShort ? {} : { day: 'numeric', month: 'short' };
  return formatInstant(at, zone, { ...FORMATS['1h'], ...date });
}
