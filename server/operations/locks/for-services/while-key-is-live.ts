import type { ServiceActor } from '../../../auth/actor';
import { LockyardError } from '../../../contract/errors';
import { Periodic } from '../../../platform/periodic';
import type { OperationContext } from '../../operation-context';

const CHECK_EVERY_MS = 500;

/**
 * Runs a call that may wait, with a signal that is aborted when the caller hangs up or its API key
 * is revoked. A call whose key was revoked by any process ends with `UNAUTHENTICATED` within about
 * a second. While the database is not responding, the key counts as live.
 *
 * @param enter counts the call against a limit of its key, until the answer is called
 * @throws LockyardError `RATE_LIMITED` when too many calls of this key are already waiting;
 *   `UNAUTHENTICATED`
 */
export async function whileKeyIsLive<T>(
  { runtime, actor, signal }: OperationContext,
  run: (signal: AbortSignal) => Promise<T>,
  enter = (caller: ServiceActor) => runtime.limits.enterWait(caller),
): Promise<T> {
  const leave = actor?.kind === 'service' ? enter(actor) : null;
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
