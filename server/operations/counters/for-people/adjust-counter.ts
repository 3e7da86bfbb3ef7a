import type { AdjustCounterInput } from '../../../contract/counter/inputs';
import type { AdjustAnswer } from '../../../core/counter/counter-command';
import { operatorRequest } from '../../audit/act-request';
import { runOperatorAct } from '../../audit/run-operator-act';
import { engineOf } from '../../locks/resolve-lock';
import type { OperationContext } from '../../operation-context';

/**
 * Sets a counter that still has the value that the operator saw, or does nothing: `changed` tells
 * what it has now.
 */
export async function adjustCounter(
  ctx: OperationContext,
  input: AdjustCounterInput,
): Promise<AdjustAnswer> {
  const { namespace, name, rev, seenValue, value, reason, requestId } = input;
  const key = { namespace, name };
  const seen = { rev, value: seenValue, newValue: value, requestId };
  const what = { act: 'counter.adjust', namespace, subject: name, reason, seen } as const;
  return runOperatorAct<AdjustAnswer>(ctx, 'operator', what, async (entry, by) => {
    const engine = await engineOf(ctx, namespace);
    const party = { by, reason };
    const act = operatorRequest(engine, 'counter.adjust', key, entry);
    return engine.count(key, { verb: 'adjust', seenValue, value, party, ...act });
  });
}
