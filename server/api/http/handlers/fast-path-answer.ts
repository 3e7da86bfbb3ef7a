import type { TRPCError } from '@trpc/server';
import { ERROR_TABLE, retryAfterOf } from '../../rpc/error-table';
import { errorShape, refusalOf } from '../../rpc/refusal';
import { retryAfterSeconds } from '../requests/refuse';
import { apiAnswerHeaders } from '../requests/security-headers';
import type { FastPathCall } from './fast-path';

/** Answers a call with what its procedure returned. */
export function sendResult(call: FastPathCall, data: unknown): void {
  write(call, 200, { result: { data } });
}

/** Answers a call with why it failed. */
export function sendError(call: FastPathCall, error: TRPCError): void {
  const { requestId, path, type } = call;
  const refusal = refusalOf(error, type);
  const waitMs = retryAfterOf(refusal.reason, refusal.retryAfterMs);
  const more = waitMs === undefined ? [] : ['Retry-After', retryAfterSeconds(waitMs)];
  const body = { error: errorShape(refusal, { path, requestId }) };
  write(call, ERROR_TABLE[refusal.reason].httpStatus, body, more);
}

function write(
  { res, requestId, isSecure }: FastPathCall,
  status: number,
  answer: object,
  more: string[] = [],
): void {
  const body = JSON.stringify(answer);
  res.writeHead(status, [
    ...apiAnswerHeaders(isSecure),
    'X-Request-Id',
    requestId,
    'Content-Type',
    'application/json',
    'Vary',
    'trpc-accept, accept',
    'Content-Length',
    String(Buffer.byteLength(body)),
    ...more,
  ]);
  res.end(body);
}
