import type { SetUpCounterInput } from '../../../contract/counter/inputs';
import type { CreateAnswer } from '../../../core/counter/counter-command';
import { actOn } from '../../audit/act-request';
import { withAudit } from '../../audit/run-operator-act';
import { engineOf } from '../../locks/resolve-lock';
import type { OperationContext } from '../../operation-context';

/**
 * Creates a counter for an operator; an existing one is left unchanged, and the answer contains it.
 */
export async function setUpCounter(
  ctx: OperationContext,
  input: SetUpCounterInput,
): Promise<CreateAnswer> {
  const { namespace, name, initial, floor = null, ceiling = null, reason, requestId } = input;
  const key = { namespace, name };
  const seen = { initial, floor, ceiling, requestId };
  const what = { act: 'counter.create', namespace, subject: name, reason, seen } as const;
  return withAudit<CreateAnswer>(ctx, 'operator', what, async (entry, by) => {
    const engine = await engineOf(ctx, namespace);
    const party = { by, reason };
    const act = actOn(engine, 'counter.create', key, entry);
    return engine.count(key, { verb: 'create', initial, floor, ceiling, party, ...act });
  });
}
