import type { CancelAnswer } from '../../../contract/lock/answers';
import type { CancelManyInput } from '../../../contract/multi-lock/inputs';
import type { OperationContext } from '../../operation-context';
import { resolveNamespace } from '../resolve-lock';
import { multiLockIdentity } from './multi-lock-identity';

/**
 * Undoes an acquire of several locks by its request id, whether it still waits or was granted
 * meanwhile.
 */
export async function cancelAcquireMany(
  ctx: OperationContext,
  { namespace, names, owner, requestId }: CancelManyInput,
): Promise<CancelAnswer> {
  const { engine, service } = await resolveNamespace(ctx, namespace, 0);
  // The identity of the acquire itself; what that asked for does not matter here.
  const request = multiLockIdentity({ service, namespace, names, requestId, input: {} });
  return engine.multiLocks.cancel(namespace, { verb: 'cancelSet', service, owner, names, request });
}
