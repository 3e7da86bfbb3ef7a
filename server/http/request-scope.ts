import type { IncomingMessage, ServerResponse } from 'node:http';
import { isSecure } from '../auth/session-cookie';
import { randomTextPool } from '../random-text-pool';

/** One request on its way through the doors. */
export interface RequestScope {
  req: IncomingMessage;
  res: ServerResponse;
  /** Told to the caller in `X-Request-Id`, and to the log. */
  requestId: string;
  /** The peer's address. Forwarding headers are not believed: anybody can write them. */
  address: string;
  /** Whether the browser's side of the connection is encrypted. */
  isSecure: boolean;
  /** As sent, without the query. */
  pathname: string;
  /** As sent, after the `?`. */
  query: string;
  /** What was read of the body already: all of it. */
  body?: Buffer;
}

export function openScope(req: IncomingMessage, res: ServerResponse): RequestScope {
  const url = req.url ?? '/';
  const mark = url.indexOf('?');
  return {
    req,
    res,
    requestId: newRequestId(),
    address: req.socket.remoteAddress ?? '',
    isSecure: isSecure(req.headers['x-forwarded-proto']?.toString()),
    pathname: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? '' : url.slice(mark + 1),
  };
}

/** 96 random bits as 16 characters. */
export const newRequestId = randomTextPool(12);
