import type { KeyDetail } from './key-limits';

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
 * A refusal that callers may see unchanged: its message is written for people and contains no
 * secret. `BACKEND_DOWN` means definitely not applied, `UNKNOWN` that it may have been applied;
 * neither is ever used for the other.
 */
export class LockyardError extends Error {
  override readonly name = 'LockyardError';

  constructor(
    readonly reason: Reason,
    message: string,
    options: {
      cause?: unknown;
      retryAfterMs?: number;
      allow?: string;
      capacity?: number;
      detail?: KeyDetail;
      waitMaxMs?: number;
      recordedSince?: number;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.retryAfterMs = options.retryAfterMs;
    this.allow = options.allow;
    this.capacity = options.capacity;
    this.detail = options.detail;
    this.waitMaxMs = options.waitMaxMs;
    this.recordedSince = options.recordedSince;
  }

  /** How long to wait before a retry, in milliseconds; only on 429 and 503. */
  readonly retryAfterMs: number | undefined;

  /** The methods that the requested address supports, as `Allow` lists them; only on 405. */
  readonly allow: string | undefined;

  /** The capacity in force, for an acquire in mode permit that does not fit it. */
  readonly capacity: number | undefined;

  /** What is wrong with the API key; only on 401 and 403. */
  readonly detail: KeyDetail | undefined;

  /** The longest wait that the namespace allows, for an acquire that would wait longer. */
  readonly waitMaxMs: number | undefined;

  /** When the recorded past begins, for a query of the console about an earlier instant. */
  readonly recordedSince: number | undefined;
}

/** What each reason means to a caller of the service API. */
export const REASON_LABELS: Record<Reason, string> = {
  INVALID:
    'The input is wrong, or the policy of its namespace forbids it; the message says where. ' +
    'Also a `requestId` that was used before with another input.',
  UNAUTHENTICATED:
    'No API key, or one that is unknown, revoked or expired; `detail` says which of the last two.',
  FORBIDDEN:
    'The key is not valid for this namespace, name or kind of call, which `detail` says; or the ' +
    'hold belongs to another service.',
  NOT_FOUND: 'There is no such procedure, namespace or counter.',
  CONFLICT: 'The present state of the lock or counter does not allow it.',
  TOO_LARGE:
    'A body over 256 KB, an address and headers over 64 KB, or more than a backend can store ' +
    'of one lock.',
  RATE_LIMITED: 'Too many requests; `retryAfterMs` says when to try again.',
  NAMESPACE_FULL:
    'There is no room for a new lock or counter: the namespace has as many as its policy ' +
    'allows, or the server is short of memory; the message says which. Existing ones keep ' +
    'working. Nothing was applied.',
  CONTENDED: 'Other callers changed the lock too often meanwhile; nothing was applied. Try again.',
  UNSUPPORTED:
    'Not possible here, such as acquiring locks on different shards together, or a call on a ' +
    'record that cannot be read. Nothing was applied.',
  BACKEND_DOWN:
    'The backend does not respond, or is not configured safely; the message says which. ' +
    'Definitely not applied; safe to repeat.',
  UNKNOWN:
    'The backend did not respond in time. The call may have been applied: repeat it with the ' +
    'same `requestId`.',
  INTERNAL: 'A fault of the server; its log has the details. The call may have been applied.',
};
