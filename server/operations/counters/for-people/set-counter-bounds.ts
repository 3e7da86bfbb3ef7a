import type { SetCounterBoundsInput } from '../../../contract/counter/inputs';
import type { SetBoundsAnswer } from '../../../core/counter/counter-command';
import { operatorRequest } from '../../audit/act-request';
import { runOperatorAct } from '../../audit/run-operator-act';
import { engineOf } from '../../locks/resolve-lock';
import type { OperationContext } from '../../operation-context';

/**
 * Gives a counter other bounds, if it still has those that the operator saw and its value lies
 * within the new ones; else it does nothing and tells what is there.
 */
export async function setCounterBounds(
  ctx: OperationContext,
  input: SetCounterBoundsInput,
): Promise<SetBoundsAnswer> {
  const { namespace, name, rev, seenBounds, bounds, reason, requestId } = input;
  const key = { namespace, name };
  const next = { newFloor: bounds.floor, newCeiling: bounds.ceiling };
  const seen = { rev, ...seenBounds, ...next, requestId };
  const what = { act: 'counter.setBounds', namespace, subject: name, reason, seen } as const;
  return runOperatorAct<SetBoundsAnswer>(ctx, 'operator', what, async (entry, by) => {
    const engine = await engineOf(ctx, namespace);
    const party = { by, reason };
    const act = operatorRequest(engine, 'counter.setBounds', key, entry);
    return engine.count(key, { verb: 'setBounds', ...bounds, seenBounds, party, ...act });
  });
}
