import type { EndCause, Lost } from '../wire/wire';

/**
 * How a hold was lost. `unrenewed`: no renewal was answered in time, so that it can no longer be
 * believed in.
 */
export interface LossFacts {
  cause: EndCause | 'unrenewed';
  /**
   * When it surely was over, epoch milliseconds of the backend's clock; absent where this client
   * alone says so.
   */
  at?: number;
  by?: string;
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
