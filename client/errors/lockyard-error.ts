import type { Reason } from '../wire/wire';

/** What is known of a call that failed. */
export interface FailureFacts {
  /** When trying again may help, in milliseconds. */
  retryAfterMs?: number | undefined;
  /** The server's own id of the request, from `X-Request-Id`: quote it when asking an operator. */
  requestId?: string | undefined;
  cause?: unknown;
  /** Asking again would not be safe, whatever the reason. */
  isFinal?: boolean;
}

/**
 * A call that got no answer, or a refusal. `BACKEND_DOWN`, `CONTENDED` and `NAMESPACE_FULL`:
 * nothing was done. `UNKNOWN`: it may have been done; ask again with the same `requestId` to find
 * out. No reply and a broken reply count as `UNKNOWN`.
 */
export class LockyardError extends Error {
  override readonly name = 'LockyardError';
  readonly retryAfterMs: number | undefined;
  readonly requestId: string | undefined;
  /** Whether the same call may well succeed a moment later. */
  readonly isTransient: boolean;

  constructor(
    readonly reason: Reason,
    message: string,
    facts: FailureFacts = {},
  ) {
    super(message, { cause: facts.cause });
    this.retryAfterMs = facts.retryAfterMs;
    this.requestId = facts.requestId;
    this.isTransient = TRANSIENT.has(reason) && !facts.isFinal;
  }
}

const TRANSIENT: ReadonlySet<Reason> = new Set([
  'BACKEND_DOWN',
  'UNKNOWN',
  'CONTENDED',
  'RATE_LIMITED',
  'NAMESPACE_FULL',
]);
