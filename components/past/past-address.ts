/** The pages that can show an instant of the past. */
const PAST_PAGES = ['/', '/holders', '/waits', '/insights', '/counters'];

export const isPastPage = (pathname: string): boolean =>
  PAST_PAGES.includes(pathname) ||
  pathname.startsWith('/locks/') ||
  pathname.startsWith('/counters/');

/** The latest instant that a date can have. */
const INSTANT_MAX_MS = 8.64e15;

/**
 * The instant that an address names, in milliseconds since 1970: as such a number, or as an ISO
 * 8601 date with a zone, such as 2026-11-21T02:41:07Z. Null: it names none.
 */
export function readPastAt(text: string | null): number | 'unreadable' | null {
  if (text === null || text === '') return null;
  const at = /^\d{1,16}$/.test(text) ? Number(text) : parsedDate(text);
  return Number.isFinite(at) && at >= 0 && at <= INSTANT_MAX_MS ? at : 'unreadable';
}

/** Without a zone, a text would mean a different instant to each reader. */
const parsedDate = (text: string): number =>
  /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:?\d{2})$/.test(text) ? Date.parse(text) : Number.NaN;

/** An address as of an instant; `null`, and that of another page: of the present. */
export function pastHref(href: string, at: number | null): string {
  const [path = '', query = ''] = href.split('?');
  const params = new URLSearchParams(query);
  const isPast = at !== null && isPastPage(path);
  if (!isPast && !params.has('at')) return href;
  params.delete('at');
  if (isPast) params.set('at', String(Math.round(at)));
  const text = params.toString();
  return text === '' ? path : `${path}?${text}`;
}
