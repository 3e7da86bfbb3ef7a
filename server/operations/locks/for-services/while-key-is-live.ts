import type { ServiceActor } from '../../../auth/actor';
import { Periodic } from '../../../platform/periodic';
import type { OperationContext } from '../../operation-context';

const CHECK_EVERY_MS = 500;

/**
 * Runs a call that may wait, with a signal that is aborted when the caller hangs up or its API key
 * ends. A call whose key was revoked by any process, or expires, ends with `UNAUTHENTICATED` within
 * about a second. While the database is not responding, the key counts as live.
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
  const ended = new AbortController();
  const check = async (keyId: string) => {
    const refusal = await runtime.apiKeys.whyEnded(keyId).catch(() => null);
    if (refusal) ended.abort(refusal);
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
    const answer = await run(signal ? AbortSignal.any([signal, ended.signal]) : ended.signal);
    ended.signal.throwIfAborted();
    return answer;
  } finally {
    void checking?.stop();
    leave?.();
  }
}
