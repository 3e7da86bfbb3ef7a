import type { ServerResponse } from 'node:http';
import { ERROR_TABLE, retryAfterOf } from '../trpc/error-table';
import { errorShape, type Refusal } from '../trpc/refusal';

/** Answers a request that never reaches a procedure, in the shape that procedures fail in. */
export function refuse(
  res: ServerResponse,
  refusal: Refusal,
  where: { path?: string | undefined; requestId: string },
): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const body = JSON.stringify({ error: errorShape(refusal, where) });
  res.statusCode = ERROR_TABLE[refusal.reason].httpStatus;
  res.setHeader('Content-Type', 'application/json');
  const retryAfterMs = retryAfterOf(refusal.reason, refusal.retryAfterMs);
  if (retryAfterMs !== undefined) res.setHeader('Retry-After', retryAfterSeconds(retryAfterMs));
  res.end(body);
}

/** `Retry-After` knows whole seconds only. */
export function retryAfterSeconds(retryAfterMs: number): string {
  return String(Math.max(1, Math.ceil(retryAfterMs / 1_000)));
}
