import type { IncomingHttpHeaders } from 'node:http';

const OTHER_SITE = 'Requests from other sites are refused';
const SHOWN_MAX_CHARS = 100;

/**
 * Why a request is refused as sent by a browser on behalf of another site; null if it was not.
 * `Origin: null` is another site. A request without either header was not sent by a page.
 */
export function crossSiteComplaint(headers: IncomingHttpHeaders): string | null {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    return `${OTHER_SITE}: Sec-Fetch-Site is ${quoted(site)}.`;
  }
  const { origin, host } = headers;
  if (origin === undefined || isSameHost(origin, host ?? '')) return null;
  const seen = `Origin is ${quoted(origin)} but Host is ${quoted(host ?? '')}`;
  return (
    `${OTHER_SITE}: ${seen}. A proxy in front must pass on the browser's Host header unchanged ` +
    '(nginx: proxy_set_header Host $http_host).'
  );
}

/**
 * Why a POST that carries a cookie but no `Origin` is refused; null for any other request. Every
 * browser sends `Origin` with a POST.
 */
export function missingOriginComplaint(
  method: string | undefined,
  headers: IncomingHttpHeaders,
): string | null {
  if (method !== 'POST' || headers.cookie === undefined || headers.origin !== undefined)
    return null;
  return 'A POST with a cookie must carry the header Origin, as every browser sends it.';
}

function isSameHost(origin: string, host: string): boolean {
  try {
    const { protocol, host: expected } = new URL(origin);
    const isWeb = protocol === 'https:' || protocol === 'http:';
    // With the origin's scheme, so that an explicit default port makes no difference.
    return isWeb && expected === new URL(`${protocol}//${host}`).host;
  } catch {
    return false;
  }
}

function quoted(header: string | string[]): string {
  const text = String(header);
  return JSON.stringify(
    text.length > SHOWN_MAX_CHARS ? `${text.slice(0, SHOWN_MAX_CHARS)}…` : text,
  );
}
