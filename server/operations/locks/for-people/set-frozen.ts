import type { FreezeInput } from '../../../contract/console/console-inputs';
import type { FreezeAnswer } from '../../../contract/lock/answers';
import { operatorRequest } from '../../audit/act-request';
import { runOperatorAct } from '../../audit/run-operator-act';
import type { OperationContext } from '../../operation-context';
import { engineOf } from '../resolve-lock';

/**
 * Stops new grants of a lock, or allows them again: its holders keep it, its waiters keep their
 * places. `unchanged`: it was so already, for the reason given then.
 */
export function setFrozen(
  ctx: OperationContext,
  verb: 'freeze' | 'unfreeze',
  { namespace, name, rev, reason, requestId }: FreezeInput,
): Promise<FreezeAnswer> {
  const key = { namespace, name };
  const seen = { rev, requestId };
  const what = { act: `lock.${verb}`, namespace, subject: name, reason, seen } as const;
  return runOperatorAct<FreezeAnswer>(ctx, 'operator', what, async (entry, by) => {
    const engine = await engineOf(ctx, namespace);
    const act = operatorRequest(engine, verb, key, entry);
    return engine.run(key, { verb, by, reason, ...act });
  });
}
