import type { CancelAnswer } from '../../../contract/lock/answers';
import type { CancelManyInput } from '../../../contract/multi-lock/inputs';
import type { OperationContext } from '../../operation-context';
import { reachNamespace } from '../resolve-lock';
import { setIdentity } from './multi-lock-identity';

/**
 * Undoes an acquire of several locks by its request id, whether it still waits or was granted
 * meanwhile.
 */
export async function cancelAcquireOfLocks(
  ctx: OperationContext,
  { namespace, names, owner, requestId }: CancelManyInput,
): Promise<CancelAnswer> {
  const { engine, service } = await reachNamespace(ctx, namespace, 0);
  // The identity of the acquire itself; what that asked for does not matter here.
  const request = setIdentity({ service, namespace, names, requestId, input: {} });
  return engine.sets.cancel(namespace, { verb: 'cancelSet', service, owner, names, request });
}
