/** An arbitrary origin, which only shows whether an address leaves it. */
const ORIGIN = 'http://console';

/** The pages for people who are not signed in. */
const ENTRANCES = ['/sign-in', '/setup'];

/** A longer query is dropped. */
const QUERY_MAX = 2_000;

/** The address of the sign-in page that leads back to this page of the console. */
export function signInPath(pathname: string, query: string): string {
  const params = new URLSearchParams(query);
  // Next adds this to requests of a navigation; it is not part of the page's address.
  params.delete('_rsc');
  const isKept = params.size > 0 && String(params).length <= QUERY_MAX;
  const to = isKept ? `${pathname}?${params}` : pathname;
  return to === '/' ? '/sign-in' : `/sign-in?next=${encodeURIComponent(to)}`;
}

/**
 * The page after signing in: the one that was requested, or else the lock list.
 *
 * @param query of the sign-in page, which anyone may have written: an address that would leave the
 *   console leads to the list
 */
export function landingPath(query: string): string {
  const next = new URLSearchParams(query).get('next');
  if (!next?.startsWith('/') || !URL.canParse(next, ORIGIN)) return '/';
  const { origin, pathname, search } = new URL(next, ORIGIN);
  // Without its dots, `/.//host/` is a path that begins with the name of a host.
  const isInside = origin === ORIGIN && !pathname.startsWith('//');
  return isInside && !ENTRANCES.includes(pathname) ? pathname + search : '/';
}
