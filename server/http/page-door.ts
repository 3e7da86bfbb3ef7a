import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestScope } from './request-scope';
import { setPageHeaders } from './security-headers';

/** Serves a page or one of its files, to the end of the answer. */
export type PageHandler = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** Headers by which Next's parts talk to each other, and those of proxies; from outside they could only mislead it. */
const INTERNAL_HEADERS = [
  'next-action',
  'x-action-forwarded',
  'x-action-redirected',
  'x-action-revalidated',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-port',
  'x-invoke-path',
  'x-invoke-query',
  'x-matched-path',
  'x-middleware-invoke',
  'x-middleware-rewrite',
  'x-middleware-subrequest',
  'x-now-route-matches',
  'x-prerender-revalidate',
];

/** Tells Next which parts of a page its caller has already; over one that it cannot read it would stumble. */
const ROUTER_STATE = 'next-router-state-tree';
const ROUTER_STATE_MAX_CHARS = 40_000;

/** Gives pages their headers and hands them on. Pages are only ever read: whatever changes something goes by the APIs. */
export function openPageDoor(pages: PageHandler | null) {
  return async (scope: RequestScope): Promise<void> => {
    const { req, res, pathname, isSecure } = scope;
    setPageHeaders(scope);
    if (pages === null) return plainAnswer(res, 404, 'There is no such page.');
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD');
      return plainAnswer(res, 405, 'Pages can only be read.');
    }
    if (req.headers.upgrade?.toLowerCase() === 'websocket') {
      return plainAnswer(res, 400, 'There is no WebSocket.');
    }
    if (!isDecodable(pathname)) return plainAnswer(res, 400, 'The address is broken.');
    if (!isRouterState(req.headers[ROUTER_STATE])) {
      return plainAnswer(res, 400, `The header ${ROUTER_STATE} is broken.`);
    }
    for (const name of INTERNAL_HEADERS) delete req.headers[name];
    req.headers['x-forwarded-proto'] = isSecure ? 'https' : 'http';
    await pages(req, res);
  };
}

function isDecodable(pathname: string): boolean {
  try {
    return decodeURIComponent(pathname) !== '';
  } catch {
    return false;
  }
}

function isRouterState(header: string | string[] | undefined): boolean {
  if (header === undefined) return true;
  if (typeof header !== 'string' || header.length > ROUTER_STATE_MAX_CHARS) return false;
  try {
    return Array.isArray(JSON.parse(decodeURIComponent(header)));
  } catch {
    return false;
  }
}

function plainAnswer(res: ServerResponse, status: number, text: string): void {
  res.statusCode = status;
  res.setHeader('Content-Type', 'text/plain; charset=utf-8');
  res.end(`${text}\n`);
}
