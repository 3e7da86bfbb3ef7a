import type { CounterGetInput } from '../../../contract/counter/inputs';
import type { GetAnswer } from '../../../core/counter/counter-command';
import { resolveLock } from '../../locks/resolve-lock';
import type { OperationContext } from '../../operation-context';

/** A counter's current value and its bounds. */
export async function getCounter(
  ctx: OperationContext,
  input: CounterGetInput,
): Promise<GetAnswer> {
  const { engine, key } = await resolveLock(ctx, input, 1);
  return engine.count(key, { verb: 'get' });
}
