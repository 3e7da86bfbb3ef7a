import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NetworkList } from '../../../platform/network-list';
import { randomTextPool } from '../../../platform/random-text-pool';
import { callerAddress, isSecure } from './forwarded';

/** One request and what is known of it. */
export interface RequestScope {
  req: IncomingMessage;
  res: ServerResponse;
  /** Sent to the caller in `X-Request-Id`, and logged. */
  requestId: string;
  /** The caller's address, by the word of trusted proxies alone. */
  address: string;
  /** Whether the caller's side of the connection is encrypted, by their word too. */
  isSecure: boolean;
  /** As sent, without the query. */
  pathname: string;
  /** As sent, after the `?`. */
  query: string;
  /** What was read of the body already: all of it. */
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
