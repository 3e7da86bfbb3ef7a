import { formatInstant, type Zone } from '../format/instants';

/** With the day, since the page is not of now, and with seconds; the year where it is not now's. */
export function pastText(at: number, now: number, zone: Zone): string {
  const yearOf = (instant: number) => formatInstant(instant, zone, { year: 'numeric' });
  return formatInstant(at, zone, {
    ...(yearOf(at) !== yearOf(now) && { year: 'numeric' as const }),
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
}
