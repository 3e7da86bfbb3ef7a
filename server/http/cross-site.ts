import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a browser sent this request on behalf of another site. `Origin: null` is another site. A request without
 * either header was not sent by a page.
 */
export function isCrossSite(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true;
  const { origin, host } = headers;
  if (origin === undefined) return false;
  try {
    return new URL(origin).host !== new URL(`http://${host ?? ''}`).host;
  } catch {
    return true;
  }
}
