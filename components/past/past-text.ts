import { formatInstant, type Zone } from '../format/instants';

/** An instant of the past with its day and seconds, and its year if that is not the present one. */
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
