import type { ServerResponse } from 'node:http';
import { retryAfterOf, statusOf } from '../../../contract/error-table';
import { LockyardError } from '../../../contract/errors';
import { errorShape, type Refusal } from '../../rpc/refusal';

/** Answers a request that never reaches a procedure, in the form of a failed procedure. */
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
  res.statusCode = statusOf(refusal).httpStatus;
  res.setHeader('Content-Type', 'application/json');
  if (refusal.allow !== undefined) res.setHeader('Allow', refusal.allow);
  for (const [name, value] of Object.entries(refusalHeaders([refusal]))) res.setHeader(name, value);
  res.end(body);
}

/** `Retry-After` with the longest wait that any refusal asks for, and `WWW-Authenticate`. */
export function refusalHeaders(refusals: Pick<Refusal, 'reason' | 'retryAfterMs'>[]) {
  const waits = refusals.map((refusal) => retryAfterOf(refusal.reason, refusal.retryAfterMs) ?? 0);
  const longestMs = Math.max(0, ...waits);
  const headers: Record<string, string> = {};
  if (longestMs > 0) headers['Retry-After'] = retryAfterSeconds(longestMs);
  if (refusals.some(({ reason }) => reason === 'UNAUTHENTICATED')) {
    headers['WWW-Authenticate'] = 'Bearer';
  }
  return headers;
}

/** The refusal for a method that an address does not support. `allow` lists the supported ones. */
export function wrongMethod(allow: string): LockyardError {
  return new LockyardError('INVALID', `This address allows ${allow} only.`, { allow });
}

/** `Retry-After` is in whole seconds. */
export function retryAfterSeconds(retryAfterMs: number): string {
  return String(Math.max(1, Math.ceil(retryAfterMs / 1_000)));
}
