/** Every reason in `error.data.reason` of either API. A contract: names never change. */
export const REASONS = [
  'INVALID',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'NOT_FOUND',
  'CONFLICT',
  'TOO_LARGE',
  'RATE_LIMITED',
  'NAMESPACE_FULL',
  'CONTENDED',
  'UNSUPPORTED',
  'BACKEND_DOWN',
  'UNKNOWN',
  'INTERNAL',
] as const;

export type Reason = (typeof REASONS)[number];

/**
 * A refusal that the caller may see as it is: its message is written for people and contains no
 * secret. `BACKEND_DOWN` means known not applied, `UNKNOWN` may have been applied; neither is ever
 * used for the other.
 */
export class LockyardError extends Error {
  override readonly name = 'LockyardError';

  constructor(
    readonly reason: Reason,
    message: string,
    options: { cause?: unknown; retryAfterMs?: number; allow?: string } = {},
  ) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
    this.allow = options.allow;
  }

  /** When to retry, in milliseconds; only on 429 and 503. */
  readonly retryAfterMs: number | undefined;

  /** The methods that the requested address supports, as `Allow` lists them; only on 405. */
  readonly allow: string | undefined;
}
