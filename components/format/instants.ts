/** `undefined`: the reader's own time zone. */
export type Zone = string | undefined;

/** By zone and options: creating one takes longer than using it a hundred times. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** An instant in the console's language. The format is cached by zone and options. */
export function formatInstant(at: number, zone: Zone, options: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify([zone, options]);
  const format =
    formats.get(key) ??
    new Intl.DateTimeFormat('en-GB', { ...options, ...(zone && { timeZone: zone }) });
  formats.set(key, format);
  return format.format(at);
}

const day = (at: number, zone: Zone) =>
  formatInstant(at, zone, { year: 'numeric', month: 'short', day: 'numeric' });

const clock = (at: number, zone: Zone, seconds: boolean) =>
  formatInstant(at, zone, {
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds && { second: '2-digit' }),
    hourCycle: 'h23',
  });

/** 14:17:03 on the day of `now`, 19 Nov 14:17 in its year, 19 Nov 2024 14:17 else. */
export function instantText(at: number, now: number, zone: Zone): string {
  const date = dateUnlessToday(at, now, zone);
  return date + clock(at, zone, date === '');
}

/** As `instantText`, to the second on every day: 19 Nov 14:17:03. */
export const secondText = (at: number, now: number, zone: Zone): string =>
  dateUnlessToday(at, now, zone) + clock(at, zone, true);

/** The date before a time: none on the day of `now`, 19 Nov in its year, 19 Nov 2024 else. */
function dateUnlessToday(at: number, now: number, zone: Zone): string {
  if (day(at, zone) === day(now, zone)) return '';
  const isThisYear =
    formatInstant(at, zone, { year: 'numeric' }) === formatInstant(now, zone, { year: 'numeric' });
  const date = isThisYear
    ? formatInstant(at, zone, { month: 'short', day: 'numeric' })
    : day(at, zone);
  return `${date}\u00a0`;
}

/** To the minute: 14:17 on the day of `now`, else as `instantText`. */
export function clockText(at: number, now: number, zone: Zone): string {
  return day(at, zone) === day(now, zone) ? clock(at, zone, false) : instantText(at, now, zone);
}

/** The whole instant, for the hover: ISO with milliseconds in UTC. */
export function exactInstant(at: number): string {
  return new Date(at).toISOString();
}
