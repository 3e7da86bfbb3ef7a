import type { CounterAddInput } from '../../../contract/counter/inputs';
import type { AddAnswer } from '../../../core/counter/counter-command';
import { requestIdentity } from '../../../engine/request-identity';
import { resolveLock } from '../../locks/resolve-lock';
import type { OperationContext } from '../../operation-context';

/**
 * Adds to a counter, whole or not at all. With a request id it is one step, however often it is
 * asked.
 */
export async function addToCounter(
  ctx: OperationContext,
  input: CounterAddInput,
): Promise<AddAnswer> {
  const { engine, key, service } = await resolveLock(ctx, input, 1);
  const { delta, requestId } = input;
  const request =
    requestId === undefined
      ? null
      : requestIdentity({ service, verb: 'counter.add', ...key, requestId, input: { delta } });
  return engine.count(key, { verb: 'add', delta, party: { service }, request });
}
