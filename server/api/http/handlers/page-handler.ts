import type { ServerResponse } from 'node:http';
import { hasManyParameters } from '../requests/many-parameters';
import type { RequestScope } from '../requests/request-scope';
import { newNonce, pagePolicy } from '../requests/security-headers';
import type { RequestScheduler } from '../scheduling/request-scheduler';

/** Answers a request for a page or its file, with `nonce` in the policy. Resolves when done. */
export type PageHandler = (scope: RequestScope, nonce: string) => Promise<void>;

/**
 * Sets the headers of pages and forwards the requests. Pages are read-only; changes use the APIs.
 */
export function createPageHandler(pages: PageHandler | null, scheduler: RequestScheduler) {
  return async (scope: RequestScope): Promise<void> => {
    const { req, res, pathname, query, address } = scope;
    const nonce = newNonce();
    res.setHeader('Content-Security-Policy', pagePolicy(nonce));
    if (pages === null) return plainAnswer(res, 404, 'There is no such page.');
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      res.setHeader('Allow', 'GET, HEAD');
      return plainAnswer(res, 405, 'Pages can only be read.');
    }
    if (req.headers.upgrade?.toLowerCase() === 'websocket') {
      return plainAnswer(res, 400, 'There is no WebSocket.');
    }
    if (!isDecodable(pathname)) return plainAnswer(res, 400, 'The address is not valid.');
    if (hasManyParameters(query)) return plainAnswer(res, 400, 'The address is too long.');
    const turn = await scheduler.turn('page', address, 1);
    const answered = pages(scope, nonce);
    // The number of concurrent renders is limited where pages are rendered.
    turn.end();
    await answered;
  };
}

function isDecodable(pathname: string): boolean {
  try {
    return decodeURIComponent(pathname) !== '';
  } catch {
    return false;
  }
}

/** Answers with one line of text. */
export function plainAnswer(res: ServerResponse, status: number, text: string): void {
  res.statusCode = status;
  res.setHeader('Content-Type', 'text/plain; charset=utf-8');
  res.end(`${text}\n`);
}
