import type { CounterCreateInput } from '../../../contract/counter/inputs';
import type { CreateAnswer } from '../../../core/counter/counter-command';
import { resolveLock } from '../../locks/resolve-lock';
import type { OperationContext } from '../../operation-context';

/** Creates a counter for a service; if it exists, answers its current value. Safe to repeat. */
export async function createCounter(
  ctx: OperationContext,
  input: CounterCreateInput,
): Promise<CreateAnswer> {
  const { engine, key, service } = await resolveLock(ctx, input, 1);
  const { initial, floor = null, ceiling = null } = input;
  const party = { service };
  return engine.count(key, { verb: 'create', initial, floor, ceiling, party, request: null });
}
