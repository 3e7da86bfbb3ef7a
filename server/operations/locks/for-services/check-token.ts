import type { CheckAnswer } from '../../../contract/lock/answers';
import type { CheckInput } from '../../../contract/lock/inputs';
import type { OperationContext } from '../../operation-context';
import { resolveLock } from '../resolve-lock';

/** Whether the hold with this token is live, for resources that guard their writes. */
export async function checkToken(ctx: OperationContext, input: CheckInput): Promise<CheckAnswer> {
  const { engine, key } = await resolveLock(ctx, input, 1);
  return engine.run(key, { verb: 'check', token: input.token });
}
