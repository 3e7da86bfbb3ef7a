import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { newRequestId, type RequestScope } from '../requests/request-scope';

/** Answers a request whose scope is known. Never throws. */
export type ScopedHandler = (scope: RequestScope) => void;

/**
 * The console API for the page process, on a socket that only this user may open: queries with the
 * cookie of the page's request. Only here are the address, scheme and request id of the page's
 * request believed as they are sent.
 */
export function createPrivateConsole(handle: ScopedHandler): Server {
  const server = createServer((req, res) => handle(privateScope(req, res)));
  // Its one caller keeps its connections.
  server.keepAliveTimeout = 0;
  return server;
}

function privateScope(req: IncomingMessage, res: ServerResponse): RequestScope {
  const url = req.url ?? '/';
  const mark = url.indexOf('?');
  const { 'x-request-id': requestId, 'x-forwarded-for': address = '' } = req.headers;
  return {
    req,
    res,
    requestId: requestId ? String(requestId) : newRequestId(),
    address: String(address),
    isSecure: req.headers['x-forwarded-proto'] === 'https',
    pathname: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? '' : url.slice(mark + 1),
  };
}
