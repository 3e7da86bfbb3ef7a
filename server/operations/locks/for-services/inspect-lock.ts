import type { CheckAnswer, InspectAnswer } from '../../../contract/lock/answers';
import type { CheckInput, InspectInput } from '../../../contract/lock/inputs';
import type { OperationContext } from '../../operation-context';
import { resolveLock } from '../resolve-lock';

/** A lock as it is now: holders, queue, and the lowest token that a resource may still accept. */
export async function inspectLock(
  ctx: OperationContext,
  input: InspectInput,
): Promise<InspectAnswer> {
  const { engine, key, service } = await resolveLock(ctx, 'lock.inspect', input, 1);
  return engine.run(key, { verb: 'inspect', service });
}

/** Whether the hold with this token is live, for resources that guard their writes. */
export async function checkToken(ctx: OperationContext, input: CheckInput): Promise<CheckAnswer> {
  const { engine, key } = await resolveLock(ctx, 'lock.check', input, 1);
  const answer = await engine.run(key, { verb: 'check', token: input.token });
  if (!answer.valid) ctx.runtime.refusals.noteToken(engine.backend, key.namespace);
  return answer;
}
