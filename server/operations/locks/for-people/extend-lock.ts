import type { ExtendInput } from '../../../contract/console/console-inputs';
import type { ExtendAnswer } from '../../../contract/lock/answers';
import { operatorRequest } from '../../audit/act-request';
import { runOperatorAct } from '../../audit/run-operator-act';
import type { OperationContext } from '../../operation-context';
import { engineOf } from '../resolve-lock';

/** Extends the hold that the operator saw, or does nothing: `changed` names the current one. */
export async function extendLock(ctx: OperationContext, input: ExtendInput): Promise<ExtendAnswer> {
  const { namespace, name, token, rev, extendMs, reason, requestId } = input;
  const key = { namespace, name };
  const what = {
    act: 'lock.extend',
    namespace,
    subject: name,
    reason,
    seen: { token, rev, extendMs, requestId },
  } as const;
  return runOperatorAct<ExtendAnswer>(ctx, 'operator', what, async (entry, by) => {
    const engine = await engineOf(ctx, namespace);
    const act = operatorRequest(engine, 'extend', key, entry);
    return engine.run(key, { verb: 'extend', token, extendMs, by, reason, ...act });
  });
}
