import type { CancelAnswer } from '../../../contract/lock/answers';
import type { CancelInput } from '../../../contract/lock/inputs';
import { requestIdentity } from '../../../engine/request-identity';
import type { OperationContext } from '../../operation-context';
import { resolveLock } from '../resolve-lock';

/** Undoes an acquire by its request id, whether it still waits or was granted meanwhile. */
export async function cancelAcquire(
  ctx: OperationContext,
  input: CancelInput,
): Promise<CancelAnswer> {
  const { engine, key, service } = await resolveLock(ctx, input, 0);
  const { owner, requestId } = input;
  // The identity of the acquire itself; what that asked for does not matter here.
  const request = requestIdentity({ service, verb: 'acquire', ...key, requestId, input: {} });
  return engine.run(key, { verb: 'cancel', service, owner, request });
}
