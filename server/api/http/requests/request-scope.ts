import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NetworkList } from '../../../platform/network-list';
import { randomTextPool } from '../../../platform/random-text-pool';
import { callerAddress, isSecure } from './forwarded';

/** One request and what is known about it. */
export interface RequestScope {
  req: IncomingMessage;
  res: ServerResponse;
  /** Sent to the caller in `X-Request-Id`, and logged. */
  requestId: string;
  /** The caller's address: the peer's, or the one that trusted proxies report. */
  address: string;
  /** Whether the caller's side of the connection is encrypted, as trusted proxies report. */
  isSecure: boolean;
  /** As sent, without the query. */
  pathname: string;
  /** As sent, after the `?`. */
  query: string;
  /** The whole body, if it has been read already. */
  body?: Buffer;
}

export function openScope(
  req: IncomingMessage,
  res: ServerResponse,
  proxies: NetworkList,
): RequestScope {
  const url = req.url ?? '/';
  const mark = url.indexOf('?');
  return {
    req,
    res,
    requestId: newRequestId(),
    address: callerAddress(req, proxies),
    isSecure: isSecure(req, proxies),
    pathname: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? '' : url.slice(mark + 1),
  };
}

/** 96 random bits as 16 characters. */
export const newRequestId = randomTextPool(12);
