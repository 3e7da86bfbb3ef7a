import type { EndCause, Holder, Lost, Reason } from './wire/wire';

/** What is known of a call that failed. */
export interface FailureFacts {
  /** After how many milliseconds trying again may help, as the server says. */
  retryAfterMs?: number | undefined;
  /** The server's own id of the request, from `X-Request-Id`: quote it when asking an operator. */
  requestId?: string | undefined;
  /** The capacity in force of the lock, if the requested permits do not fit it. */
  capacity?: number | undefined;
  /** What is the matter with the API key, such as `keyExpired` or `missingVerb`. */
  detail?: string | undefined;
  /** The longest wait that the namespace allows, where a longer one was asked for. */
  waitMaxMs?: number | undefined;
  cause?: unknown;
  /** Asking again would not be safe, whatever the reason. */
  isFinal?: boolean;
  /** No connection could be made. */
  isUnreachable?: boolean;
}

/**
 * A call that got no answer, or a refusal. `BACKEND_DOWN`, `CONTENDED` and `NAMESPACE_FULL`:
 * nothing was done. `UNKNOWN`: it may have been done; ask again with the same `requestId` to find
 * out. No reply and a broken reply count as `UNKNOWN`.
 */
export class LockyardError extends Error {
  override readonly name = 'LockyardError';
  /** After how many milliseconds trying again may help, where the server said so. */
  readonly retryAfterMs: number | undefined;
  /** The server's own id of the request: quote it when asking an operator. */
  readonly requestId: string | undefined;
  /** The capacity in force, where an acquire of permits named another one, or wanted more. */
  readonly capacity: number | undefined;
  /**
   * What is the matter with the API key, where the server said so. `UNAUTHENTICATED`: `keyExpired`
   * or `keyRevoked`; `FORBIDDEN`: `missingNamespace`, `missingPrefix` or `missingVerb`.
   */
  readonly detail: string | undefined;
  /** The longest wait that the namespace allows, where an acquire asked for a longer one. */
  readonly waitMaxMs: number | undefined;
  /** Whether the same call may well succeed a moment later. */
  readonly isTransient: boolean;
  /** No connection to the server could be made; of several, to none. */
  readonly isUnreachable: boolean;

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
  }
}

/**
 * Whether a loop that never gives up should go on after this error: a failure that may pass, or a
 * fault of the server, which may concern only one answer.
 */
export function isNoRefusal(error: unknown): error is LockyardError {
  return error instanceof LockyardError && (error.isTransient || error.reason === 'INTERNAL');
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
 * Work under a hold asked for more of the same lock than that hold has: work under a shared one for
 * another mode, work with permits for more of them or another mode. It would wait for itself. End
 * the outer work first, or take what is needed from the beginning.
 */
export class LockUpgradeRefused extends Error {
  override readonly name = 'LockUpgradeRefused';

  constructor(
    readonly lock: string,
    /** Of the hold that the calling work has. */
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

/** How the message about a lock that was not granted names a holder. */
export function holdsIt(
  { releasedAt, expiresInMs }: Holder,
  duration = (ms: number) => `${ms} ms`,
): string {
  if (releasedAt === undefined) return 'holds it';
  return `released it, and it stays held for another ${duration(expiresInMs)}`;
}

/**
 * How a hold was lost. `unrenewed`: no renewal was answered in time, so that it could no longer be
 * relied on; the server may still know it as live.
 */
export interface LossFacts {
  cause: EndCause | 'unrenewed';
  /**
   * When it was surely over, in epoch milliseconds of the backend's clock; absent if only this
   * client says so.
   */
  at?: number;
  /** The operator who force-released it. */
  by?: string;
  /** The operator's reason. */
  reason?: string;
}

/**
 * The hold ended before the work did. From `loss.at` on another holder may have had the lock, so
 * anything the work wrote without having its token checked may have met another holder's writes.
 * `cause` is the work's own error, or the last failure of a renewal, where there was one.
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

/** The loss with the work's own error as its cause, unless that error only passes the loss on. */
export function blame(lost: LockLost, error: unknown): LockLost {
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
      return 'it was granted to later holders';
    case 'unrenewed':
      return 'no renewal succeeded in time';
  }
}
