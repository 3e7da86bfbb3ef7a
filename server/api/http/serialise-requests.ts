import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpHandlers } from './http-handlers';
import { refuse } from './requests/refuse';
import { openScope } from './requests/request-scope';
import { setApiHeaders, setCommonHeaders } from './requests/security-headers';

/** Requests of one connection that wait for the answers before theirs. */
const WAITING_MAX = 100;

/**
 * Handles the requests of one connection one after another, also when a caller pipelines them. Node
 * reports a hang-up only to the response that is currently being sent: a pipelined request handled
 * early would go on waiting for a lock after its caller has left, and never be cleaned up. One with
 * a longer body than Node keeps is refused: it would have Node read no more of the connection, and
 * so hide a hang-up.
 */
export function serialiseRequests(handlers: HttpHandlers): RequestListener {
  const { handle } = handlers;
  const waiting = new WeakMap<Socket, number>();
  return (req, res) => {
    if (res.socket) {
      handle(req, res);
      return;
    }
    const { socket } = req;
    const before = waiting.get(socket) ?? 0;
    const complaint = before >= WAITING_MAX ? TOO_MANY : complaintAboutBody(req);
    if (complaint !== null) {
      refuseToQueue(req, res, handlers, complaint);
      return;
    }
    waiting.set(socket, before + 1);
    res.once('socket', () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      handle(req, res);
    });
  };
}

const TOO_MANY = `At most ${WAITING_MAX} requests of one connection may wait for their turn.`;

/** Why the body of a request cannot be kept until its turn; null if it can. */
function complaintAboutBody({ headers, readableHighWaterMark }: IncomingMessage): string | null {
  const isChunked = headers['transfer-encoding'] !== undefined;
  if (!isChunked && Number(headers['content-length'] ?? 0) < readableHighWaterMark) return null;
  const most = `under ${readableHighWaterMark} bytes, named by its Content-Length`;
  return `A request that waits for its turn on its connection may have a body of ${most}.`;
}

/** Answers that wait for their turn are what makes Node read no more of a connection. */
function refuseToQueue(
  req: IncomingMessage,
  res: ServerResponse,
  { proxies, limits }: HttpHandlers,
  message: string,
): void {
  req.resume();
  const scope = openScope(req, res, proxies);
  setCommonHeaders(scope);
  setApiHeaders(res);
  refuse(res, limits.refuse('pipeline', message), scope);
}
