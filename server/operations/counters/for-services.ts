import type {
  CounterAddAnswer,
  CounterAddInput,
  CounterCreateAnswer,
  CounterCreateInput,
  CounterGetAnswer,
  CounterGetInput,
} from '../../contract/counter';
import { requestIdentity } from '../../engine/request-identity';
import { resolveLock } from '../locks/resolve-lock';
import type { OperationContext } from '../operation-context';

/** Creates a counter for a service; if it exists, answers its current value. Safe to repeat. */
export async function createCounter(
  ctx: OperationContext,
  input: CounterCreateInput,
): Promise<CounterCreateAnswer> {
  const { engine, key, service } = await resolveLock(ctx, 'counter.create', input, 1);
  const { initial, floor = null, ceiling = null } = input;
  const party = { service };
  return engine.count(key, { verb: 'create', initial, floor, ceiling, party, request: null });
}

/** Adds all of `delta` to a counter, or nothing; with a request id once, however often sent. */
export async function addToCounter(
  ctx: OperationContext,
  input: CounterAddInput,
): Promise<CounterAddAnswer> {
  const { engine, key, service } = await resolveLock(ctx, 'counter.add', input, 1);
  const { delta, requestId, firstAttempt } = input;
  const request =
    requestId === undefined
      ? null
      : requestIdentity({ service, verb: 'counter.add', ...key, requestId, input: { delta } });
  const isFirst = firstAttempt === true;
  return engine.count(key, { verb: 'add', delta, party: { service }, request, isFirst });
}

/** A counter's current value and its bounds. */
export async function getCounter(
  ctx: OperationContext,
  input: CounterGetInput,
): Promise<CounterGetAnswer> {
  const { engine, key } = await resolveLock(ctx, 'counter.get', input, 1);
  return engine.count(key, { verb: 'get' });
}
