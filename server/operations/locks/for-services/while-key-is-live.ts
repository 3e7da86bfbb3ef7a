import { LockyardError } from '../../../contract/errors';
import { Periodic } from '../../../platform/periodic';
import type { OperationContext } from '../../operation-context';

/** How long one request may be held open; longer waits ask again with the same request id. */
export const HOLD_REQUEST_MS = 25_000;

const CHECK_EVERY_MS = 500;

/**
 * Does what may take long with a signal that goes off when the caller hangs up, or when its API key
 * is revoked. A call whose key was revoked meanwhile ends as `UNAUTHENTICATED`, within about a
 * second wherever that was done. While the database cannot tell, a key counts as live.
 *
 * @throws LockyardError `RATE_LIMITED` when too many calls of this key wait already;
 *   `UNAUTHENTICATED`
 */
export async function whileKeyIsLive<T>(
  { runtime, actor, signal }: OperationContext,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const leave = actor?.kind === 'service' ? runtime.limits.enterWait(actor) : null;
  const revoked = new AbortController();
  const check = async (keyId: string) => {
    if (!(await runtime.apiKeys.isLive(keyId).catch(() => true))) revoked.abort();
  };
  const checking =
    actor?.kind === 'service'
      ? new Periodic({
          job: 'check the API key of a waiting call',
          everyMs: CHECK_EVERY_MS,
          run: () => check(actor.keyId),
        }).start()
      : null;
  try {
    const answer = await run(signal ? AbortSignal.any([signal, revoked.signal]) : revoked.signal);
    if (!revoked.signal.aborted) return answer;
    throw new LockyardError('UNAUTHENTICATED', 'This API key has been revoked.');
  } finally {
    void checking?.stop();
    leave?.();
  }
}
