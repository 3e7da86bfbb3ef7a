import type { CreateAnswer } from '../domain/counter-command';
import type { SetUpCounterInput } from '../domain/counter-inputs';
import { actOn } from './act-request';
import type { OperationContext } from './operation-context';
import { engineOf } from './reach-lock';
import { withAudit } from './with-audit';

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
