import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate as nextImmediate, setTimeout as pause } from 'node:timers/promises';
import { retryAfterOf, statusOf } from '../../../contract/error-table';
import type { Reason } from '../../../contract/errors';
import { errorShape, type Refusal } from '../../rpc/refusal';
import { retryAfterSeconds, wrongMethod } from '../requests/refuse';
import { newRequestId } from '../requests/request-scope';
import { apiAnswerHeaders } from '../requests/security-headers';
import type { OpenRequests } from './open-requests';

const TOO_SLOW = 'ERR_HTTP_REQUEST_TIMEOUT';

/** The refusals for Node's parser errors, by their codes. */
const PARSER_REFUSALS: Record<string, { reason: Reason; message: string }> = {
  HPE_HEADER_OVERFLOW: { reason: 'TOO_LARGE', message: 'The address and headers are too long.' },
  HPE_INVALID_URL: {
    reason: 'INVALID',
    message: 'The address has characters that must be percent-encoded.',
  },
  [TOO_SLOW]: { reason: 'INVALID', message: 'The request took too long to arrive.' },
};

const GARBAGE = { reason: 'INVALID', message: 'This is not an HTTP request.' } as const;

const NO_TUNNEL = wrongMethod('GET, HEAD, POST');

/** Bytes that arrived while this process was stopped are read within this time. */
const READ_WITHIN_MS = 50;

/** How long a refused connection stays open so that its caller can read why. */
const LINGER_MS = 2_000;

/**
 * Refuses an unreadable request and closes its connection. A refused request is never carried out;
 * an earlier one in progress gets its answer first, unless its caller hangs up.
 */
export class BrokenRequests {
  private readonly refused = new WeakSet<Duplex>();

  constructor(private readonly requests: OpenRequests) {}

  /** For `clientError` of a server. */
  readonly refuse = (error: NodeJS.ErrnoException, socket: Duplex): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    if (this.refused.has(socket)) return;
    this.refused.add(socket);
    void this.refuseInTurn(error, socket);
  };

  /** For `connect` events of a server, which has detached from the socket. */
  readonly refuseTunnel = (_req: IncomingMessage, socket: Duplex): void => {
    socket.on('error', () => socket.destroy());
    // Further data is discarded, but the end of the connection must be noticed.
    socket.resume();
    if (socket.writable) void this.endWith(socket, NO_TUNNEL);
    else socket.destroy();
  };

  private async refuseInTurn(error: NodeJS.ErrnoException, socket: Duplex): Promise<void> {
    if (error.code === TOO_SLOW && (await this.hasArrived(socket))) {
      this.refused.delete(socket);
      return;
    }
    if (error.code === TOO_SLOW && isUnused(socket)) {
      // Browsers connect in advance, and would take this for the answer to their first request.
      socket.destroy();
      return;
    }
    if (this.requests.isAnsweredEarly(socket)) {
      // A second answer would be taken for the answer to the next request.
      await this.endWith(socket, null);
      return;
    }
    // A body that is paused never ends, so its request is never carried out.
    this.requests.arriving(socket)?.pause();
    await this.endWith(socket, PARSER_REFUSALS[error.code ?? ''] ?? GARBAGE);
  }

  /** @param refusal null: closes without an answer */
  private async endWith(socket: Duplex, refusal: Refusal | null): Promise<void> {
    // Node does this only if it could parse all data: otherwise a wait of a caller that hung up
    // goes on.
    const hangUp = () => socket.destroy();
    if (socket.readableEnded && !this.requests.isIdle(socket)) hangUp();
    socket.once('end', hangUp);
    await this.requests.answered(socket);
    socket.off('end', hangUp);
    if (!socket.writable) return;
    socket.end(refusal && rawRefusal(refusal));
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  }

  /**
   * Node checks its clock before it reads what has arrived: after a pause of this process a request
   * may be complete and still seem late.
   */
  private async hasArrived(socket: Duplex): Promise<boolean> {
    const begun = this.requests.begun(socket);
    const late = this.requests.arriving(socket);
    await pause(READ_WITHIN_MS);
    // The process may have been stopped meanwhile too: sockets are read between timers and this.
    await nextImmediate();
    return late?.complete ?? this.requests.begun(socket) > begun;
  }
}

/** Whether no byte has arrived on a connection. */
const isUnused = (socket: Duplex): boolean => socket instanceof Socket && socket.bytesRead === 0;

/** A whole answer for a connection on which no request was read; it is closed afterwards. */
export function rawRefusal(refusal: Refusal): string {
  const requestId = newRequestId();
  const body = JSON.stringify({ error: errorShape(refusal, { requestId }) });
  const { reason, retryAfterMs, allow } = refusal;
  const { httpStatus } = statusOf(refusal);
  const waitMs = retryAfterOf(reason, retryAfterMs);
  return [
    `HTTP/1.1 ${httpStatus} Refused`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    ...headerLines(apiAnswerHeaders(false)),
    ...(waitMs === undefined ? [] : [`Retry-After: ${retryAfterSeconds(waitMs)}`]),
    ...(allow === undefined ? [] : [`Allow: ${allow}`]),
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}

/** @param flat names and values in turn */
function headerLines(flat: readonly string[]): string[] {
  return flat.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${flat[at + 1]}`] : []));
}
