import type { ServiceActor } from '../../../auth/actor';
import { authoriseCall, type WantedAccess } from '../../../auth/api-keys/authorise-call';
import { LockyardError } from '../../../contract/errors';
import { Periodic } from '../../../platform/periodic';
import type { OperationContext } from '../../operation-context';

const CHECK_EVERY_MS = 500;

/**
 * Runs a call that may wait. Its signal is aborted when the caller hangs up or its API key ends or
 * no longer allows the call; a second one, `refused`, only for the key. A call whose key was
 * revoked by any process, or expires, ends with `UNAUTHENTICATED` within about a second; one whose
 * key was narrowed so that it would be refused now, with `FORBIDDEN`. While the database is not
 * responding, the key counts as live and unchanged.
 *
 * @param wanted what the call uses for as long as it lasts
 * @param enter counts the call against a limit of its key, until the returned function is called
 * @throws LockyardError `RATE_LIMITED` when too many calls of this key are already waiting;
 *   `UNAUTHENTICATED`; `FORBIDDEN`
 */
export async function whileKeyIsLive<T>(
  { runtime, actor, signal }: OperationContext,
  wanted: WantedAccess,
  run: (signal: AbortSignal, refused: AbortSignal) => Promise<T>,
  enter = (caller: ServiceActor) => runtime.limits.enterWait(caller),
): Promise<T> {
  const leave = actor?.kind === 'service' ? enter(actor) : null;
  const ended = new AbortController();
  const check = async (keyId: string) => {
    try {
      authoriseCall(await runtime.apiKeys.presentActor(keyId), wanted);
    } catch (error) {
      if (isRefusal(error)) ended.abort(error);
    }
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
    const refused = ended.signal;
    const answer = await run(signal ? AbortSignal.any([signal, refused]) : refused, refused);
    refused.throwIfAborted();
    return answer;
  } finally {
    void checking?.stop();
    leave?.();
  }
}

const isRefusal = (error: unknown) =>
  error instanceof LockyardError &&
  (error.reason === 'UNAUTHENTICATED' || error.reason === 'FORBIDDEN');
