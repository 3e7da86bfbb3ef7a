import type { ForceReleaseInput } from '../../../contract/console/console-inputs';
import type { ForceReleaseAnswer } from '../../../contract/lock/answers';
import { operatorRequest } from '../../audit/act-request';
import { runOperatorAct } from '../../audit/run-operator-act';
import type { OperationContext } from '../../operation-context';
import { engineOf } from '../resolve-lock';

/**
 * Ends the hold that the operator saw, or does nothing: `changed` names the current one. The
 * evicted token is invalid at once; the holder itself is not stopped.
 */
export async function forceReleaseLock(
  ctx: OperationContext,
  input: ForceReleaseInput,
): Promise<ForceReleaseAnswer> {
  const { namespace, name, token, rev, reason, requestId } = input;
  const key = { namespace, name };
  const what = {
    act: 'lock.forceRelease',
    namespace,
    subject: name,
    reason,
    seen: { token, rev, requestId },
  } as const;
  return runOperatorAct<ForceReleaseAnswer>(ctx, 'operator', what, async (entry, by) => {
    const engine = await engineOf(ctx, namespace);
    const act = operatorRequest(engine, 'forceRelease', key, entry);
    return engine.run(key, { verb: 'forceRelease', token, by, reason, ...act });
  });
}
