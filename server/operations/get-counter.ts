import type { GetAnswer } from '../domain/counter-command';
import type { CounterGetInput } from '../domain/counter-inputs';
import type { OperationContext } from './operation-context';
import { reachLock } from './reach-lock';

/** A counter's current value and its bounds. */
export async function getCounter(
  ctx: OperationContext,
  input: CounterGetInput,
): Promise<GetAnswer> {
  const { engine, key } = await reachLock(ctx, input, 1);
  return engine.count(key, { verb: 'get' });
}
