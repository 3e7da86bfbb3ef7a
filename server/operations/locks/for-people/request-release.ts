import type { ReleaseRequestInput } from '../../../contract/console/console-inputs';
import type { ReleaseRequestAnswer } from '../../../contract/lock/answers';
import type { ReleaseRequestCommand } from '../../../core/lock/lock-command';
import { operatorRequest } from '../../audit/act-request';
import { runOperatorAct } from '../../audit/run-operator-act';
import type { OperationContext } from '../../operation-context';
import { engineOf } from '../resolve-lock';

/**
 * Leaves a message for the hold that the operator saw, or does nothing: `changed` names the current
 * one.
 */
export function requestRelease(
  ctx: OperationContext,
  verb: ReleaseRequestCommand['verb'],
  { namespace, name, token, rev, reason, requestId }: ReleaseRequestInput,
): Promise<ReleaseRequestAnswer> {
  const key = { namespace, name };
  const what = {
    act: `lock.${verb}`,
    namespace,
    subject: name,
    reason,
    seen: { token, rev, requestId },
  } as const;
  return runOperatorAct<ReleaseRequestAnswer>(ctx, 'operator', what, async (entry, by) => {
    const engine = await engineOf(ctx, namespace);
    const act = operatorRequest(engine, verb, key, entry);
    return engine.run(key, { verb, token, by, reason, ...act });
  });
}
