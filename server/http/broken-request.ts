import type { Duplex } from 'node:stream';
import type { Reason } from '../domain/errors';
import { ERROR_TABLE } from '../trpc/error-table';
import { errorShape } from '../trpc/refusal';
import { newRequestId } from './request-scope';

/** What Node found wrong with bytes that it could not read as a request. */
const COMPLAINTS: Record<string, { reason: Reason; message: string }> = {
  HPE_HEADER_OVERFLOW: { reason: 'TOO_LARGE', message: 'The address and headers are too long.' },
  ERR_HTTP_REQUEST_TIMEOUT: { reason: 'INVALID', message: 'The request took too long to arrive.' },
};

const GARBAGE = { reason: 'INVALID', message: 'This is not an HTTP request.' } as const;

/** Answers on a connection that sent no readable request, and closes it. */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const requestId = newRequestId();
  const refusal = COMPLAINTS[error.code ?? ''] ?? GARBAGE;
  const body = JSON.stringify({ error: errorShape(refusal, { requestId }) });
  const { httpStatus } = ERROR_TABLE[refusal.reason];
  socket.end(
    [
      `HTTP/1.1 ${httpStatus} Refused`,
      'Content-Type: application/json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Cache-Control: no-store',
      'X-Content-Type-Options: nosniff',
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
