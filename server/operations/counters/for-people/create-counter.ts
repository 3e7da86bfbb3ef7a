import type { SetUpCounterInput } from '../../../contract/counter/inputs';
import type { CreateAnswer } from '../../../core/counter/counter-command';
import { operatorRequest } from '../../audit/act-request';
import { runOperatorAct } from '../../audit/run-operator-act';
import { engineOf } from '../../locks/resolve-lock';
import type { OperationContext } from '../../operation-context';

/**
 * Creates a counter for an operator; an existing one is left unchanged, and the answer contains it.
 */
export async function createCounter(
  ctx: OperationContext,
  input: SetUpCounterInput,
): Promise<CreateAnswer> {
  const { namespace, name, initial, floor = null, ceiling = null, reason, requestId } = input;
  const key = { namespace, name };
  const seen = { initial, floor, ceiling, requestId };
  const what = { act: 'counter.create', namespace, subject: name, reason, seen } as const;
  return runOperatorAct<CreateAnswer>(ctx, 'operator', what, async (entry, by) => {
    const engine = await engineOf(ctx, namespace);
    const party = { by, reason };
    const act = operatorRequest(engine, 'counter.create', key, entry);
    return engine.count(key, { verb: 'create', initial, floor, ceiling, party, ...act });
  });
}
