import type { EndCause, Holder, Lost, Reason } from './wire/wire';

/** What is known about a failed call. */
export interface FailureFacts {
  /** The delay after which a retry may succeed, in milliseconds, according to the server. */
  retryAfterMs?: number | undefined;
  /** The server's own id of the request, from `X-Request-Id`: quote it when asking an operator. */
  requestId?: string | undefined;
  /** The lock's current capacity, if the acquire did not fit it. */
  capacity?: number | undefined;
  /** What is wrong with the API key, such as `keyExpired` or `missingVerb`. */
  detail?: string | undefined;
  /** The longest wait that the namespace allows, in milliseconds, if a longer one was asked for. */
  waitMaxMs?: number | undefined;
  cause?: unknown;
  /** A retry would not be safe, whatever the reason. */
  isFinal?: boolean;
  /** No connection could be made. */
  isUnreachable?: boolean;
  /** The answer is not of a Lockyard. */
  isForeign?: boolean;
}

/**
 * A call that was refused, or got no answer. `BACKEND_DOWN`, `CONTENDED` and `NAMESPACE_FULL`: it
 * was not applied. `UNKNOWN`: it may have been applied; repeat it with the same `requestId` to find
 * out. No reply and an unreadable reply count as `UNKNOWN`.
 */
export class LockyardError extends Error {
  override readonly name = 'LockyardError';
  /** The delay after which a retry may succeed, in milliseconds, if the server named one. */
  readonly retryAfterMs: number | undefined;
  /** The server's own id of the request: quote it when asking an operator. */
  readonly requestId: string | undefined;
  /** The lock's current capacity, if an acquire named a different one, or more permits than it. */
  readonly capacity: number | undefined;
  /**
   * What is wrong with the API key, if the server said so. `UNAUTHENTICATED`: `keyExpired` or
   * `keyRevoked`; `FORBIDDEN`: `missingNamespace`, `missingPrefix` or `missingVerb`.
   */
  readonly detail: string | undefined;
  /** The longest wait that the namespace allows, in milliseconds, if an acquire asked for more. */
  readonly waitMaxMs: number | undefined;
  /** Whether the same call may succeed a moment later. */
  readonly isTransient: boolean;
  /** No connection could be made to the server, or to any of several. */
  readonly isUnreachable: boolean;
  /** The answer is not of a Lockyard, but of something else, such as a proxy. */
  readonly isForeign: boolean;

  constructor(
    readonly reason: Reason,
    message: string,
    facts: FailureFacts = {},
  ) {
    super(message, { cause: facts.cause });
    this.retryAfterMs = facts.retryAfterMs;
    this.requestId = facts.requestId;
    this.capacity = facts.capacity;
    this.detail = facts.detail;
    this.waitMaxMs = facts.waitMaxMs;
    this.isTransient = TRANSIENT.has(reason) && !facts.isFinal;
    this.isUnreachable = facts.isUnreachable ?? false;
    this.isForeign = facts.isForeign ?? false;
  }
}

/**
 * Whether a loop that never gives up should retry after this error: a transient failure; a fault of
 * the server, which may affect only one answer; or an answer of something else, such as the 404 of
 * a proxy while a server is replaced.
 *
 * @param hasAnswered Lockyard has answered at this address; otherwise the address may be wrong
 */
export function isRetryable(error: unknown, hasAnswered: boolean): error is LockyardError {
  if (!(error instanceof LockyardError)) return false;
  return error.isTransient || error.reason === 'INTERNAL' || (error.isForeign && hasAnswered);
}

const TRANSIENT: ReadonlySet<Reason> = new Set([
  'BACKEND_DOWN',
  'UNKNOWN',
  'CONTENDED',
  'RATE_LIMITED',
  'NAMESPACE_FULL',
]);

/**
 * The work is done, and the hold was valid until its end, but the release was not confirmed. The
 * lock may stay taken until its lease ends. `result` is what the work returned: do not repeat the
 * work because of this error.
 */
export class ReleaseUnconfirmed extends Error {
  override readonly name = 'ReleaseUnconfirmed';

  constructor(
    readonly lock: string,
    readonly token: number,
    /** What the work returned. */
    readonly result: unknown,
    cause: unknown,
  ) {
    super(`The work under "${lock}" is done, but its release was not confirmed.`, { cause });
  }
}

/**
 * Work under a hold requested more of the same lock than that hold grants: under a shared hold,
 * another mode; under permits, another mode or more of them. It would wait for itself. End the
 * outer work first, or acquire what is needed from the beginning.
 */
export class LockUpgradeRefused extends Error {
  override readonly name = 'LockUpgradeRefused';

  constructor(
    readonly lock: string,
    /** The token of the hold under which the calling work runs. */
    readonly token: number,
    held: 'shared' | 'with permits' = 'shared',
    wanted = 'exclusive',
  ) {
    super(
      `"${lock}" is held ${held} by the calling work (token ${token}); ${wanted} waits for it.`,
    );
  }
}

/** The holders of the lock, according to the last answer. */
interface Obstacle {
  holders: Holder[];
  /** Null if the last answer did not say. */
  queueLength: number | null;
  /** Why an operator has frozen the lock; null if it is not frozen. */
  frozen: string | null;
}

/** The lock was not granted within `waitMs`. Nothing is held, and no place in the queue is kept. */
export class LockTimeout extends Error {
  override readonly name = 'LockTimeout';
  /** Who holds the lock, according to the last answer. */
  readonly holders: Holder[];
  /** How many callers waited for it then; null if the last answer did not say. */
  readonly queueLength: number | null;
  /** Why an operator has frozen the lock; null if it is not frozen. */
  readonly frozen: string | null;

  constructor(
    readonly lock: string,
    readonly waitMs: number,
    { holders, queueLength, frozen }: Obstacle,
  ) {
    const holder = holders[0] ? `; ${holders[0].owner} ${holdsIt(holders[0])}` : '';
    const obstacle = frozen === null ? holder : `; it is frozen: ${frozen}`;
    super(`"${lock}" was not granted within ${waitMs} ms${obstacle}.`);
    this.holders = holders;
    this.queueLength = queueLength;
    this.frozen = frozen;
  }
}

/** Describes a holder in a message about a lock that was not granted. */
export function holdsIt(
  { releasedAt, expiresInMs }: Holder,
  duration = (ms: number) => `${ms} ms`,
): string {
  if (releasedAt === undefined) return 'holds it';
  return `released it, and it stays held for another ${duration(expiresInMs)}`;
}

/**
 * How a hold was lost. `unrenewed`: no renewal was answered in time, so the lease may have expired;
 * on the server the hold may still be live.
 */
export interface LossFacts {
  cause: EndCause | 'unrenewed';
  /**
   * When the hold had certainly ended, in epoch milliseconds of the backend's clock; absent if only
   * this client considers it lost.
   */
  at?: number;
  /** The operator who force-released it. */
  by?: string;
  /** The operator's reason. */
  reason?: string;
}

/**
 * The hold ended before the work did. Since `loss.at` another holder may have had the lock, so
 * writes whose token was not checked may conflict with that holder's. `cause` is the work's own
 * error; or the last failure of a renewal, if none has succeeded since.
 */
export class LockLost extends Error {
  override readonly name = 'LockLost';

  constructor(
    readonly lock: string,
    readonly token: number,
    readonly loss: LossFacts,
    cause?: unknown,
  ) {
    super(`Lost the lock "${lock}" (token ${token}): ${explain(loss)}.`, { cause });
  }
}

/** The facts in a server's `lost` answer. */
export function lossFacts({ cause, at, by, reason }: Lost): LossFacts {
  return {
    cause,
    at,
    ...(by === undefined ? {} : { by }),
    ...(reason === undefined ? {} : { reason }),
  };
}

/** The loss with the work's error as its cause, unless that error is or wraps the loss. */
export function lossCausedBy(lost: LockLost, error: unknown): LockLost {
  const isEcho = error === lost || (error instanceof Error && error.cause === lost);
  return isEcho ? lost : new LockLost(lost.lock, lost.token, lost.loss, error);
}

function explain({ cause, by, reason }: LossFacts): string {
  switch (cause) {
    case 'expired':
      return 'its lease expired';
    case 'released':
      return 'it was released';
    case 'forced':
      return `force-released${by ? ` by ${by}` : ''}${reason ? ` (${reason})` : ''}`;
    case 'superseded':
      return 'the server has no record of this hold';
    case 'unrenewed':
      return 'no renewal succeeded in time';
  }
}
