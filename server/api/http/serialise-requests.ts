import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { HttpHandlers } from './http-handlers';
import { refuse } from './requests/refuse';
import { openScope } from './requests/request-scope';
import { setApiHeaders, setCommonHeaders } from './requests/security-headers';

/**
 * How many requests of one connection may wait for earlier answers, and how many bytes they may
 * use.
 */
const WAITING_MAX = 100;
const WAITING_MAX_BYTES = 128 * 1024;

interface Waiting {
  requests: number;
  bytes: number;
}

/**
 * Handles the requests of one connection one after another, even if a caller pipelines them. Node
 * reports a hang-up only to the response that is currently being sent: a pipelined request handled
 * early would keep waiting for a lock after its caller has left, and never be cleaned up. One with
 * a longer body than Node buffers is refused: Node would stop reading the connection, which would
 * hide a hang-up.
 */
export function serialiseRequests(handlers: HttpHandlers): RequestListener {
  const { handle } = handlers;
  const waitingOn = new WeakMap<Socket, Waiting>();
  return (req, res) => {
    if (res.socket) {
      handle(req, res);
      return;
    }
    const { socket } = req;
    const waiting = waitingOn.get(socket) ?? { requests: 0, bytes: 0 };
    waitingOn.set(socket, waiting);
    const bytes = bytesOf(req);
    const complaint = complaintAboutBody(req) ?? complaintAboutQueue(waiting, bytes);
    if (complaint !== null) {
      refuseToQueue(req, res, handlers, complaint);
      return;
    }
    waiting.requests += 1;
    waiting.bytes += bytes;
    res.once('socket', () => {
      waiting.requests -= 1;
      waiting.bytes -= bytes;
      handle(req, res);
    });
  };
}

function complaintAboutQueue({ requests, bytes }: Waiting, more: number): string | null {
  if (requests < WAITING_MAX && bytes + more <= WAITING_MAX_BYTES) return null;
  return (
    `At most ${WAITING_MAX} requests of one connection may wait for their turn, ` +
    `of ${WAITING_MAX_BYTES} bytes together.`
  );
}

/** How many bytes a waiting request keeps in memory: address, headers and body. */
function bytesOf({ url = '', rawHeaders, headers }: IncomingMessage): number {
  let bytes = url.length + Number(headers['content-length'] ?? 0);
  for (const text of rawHeaders) bytes += text.length;
  return bytes;
}

/** Why the body of a request cannot be buffered until its turn; null if it can. */
function complaintAboutBody({ headers, readableHighWaterMark }: IncomingMessage): string | null {
  const isChunked = headers['transfer-encoding'] !== undefined;
  if (!isChunked && Number(headers['content-length'] ?? 0) < readableHighWaterMark) return null;
  const most = `under ${readableHighWaterMark} bytes, named by its Content-Length`;
  return `A request that waits for its turn on its connection may have a body of ${most}.`;
}

/**
 * Refuses a request that cannot wait. Its answer still waits for its turn: Node stops reading a
 * connection that has many waiting answers.
 */
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
  // The waiting answer references its request: empty it to free its memory.
  Object.assign(req, { url: '', rawHeaders: [], headers: {} });
}
