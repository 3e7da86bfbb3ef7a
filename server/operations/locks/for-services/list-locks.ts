import type { ListAnswer } from '../../../contract/lock/answers';
import type { ListInput } from '../../../contract/lock/inputs';
import type { OperationContext } from '../../operation-context';
import { resolveNamespace } from '../resolve-lock';

/** How many plain calls it counts as: it goes through every lock of the namespace. */
export const LIST_COST_CALLS = 10;

/**
 * A service's overview of a namespace that its key has access to, as this process last read it: it
 * costs no read of any backend, and may be slightly out of date.
 *
 * @throws LockyardError as `resolveNamespace`; `BACKEND_DOWN` while the backend has never been read
 *   by this process
 */
export async function listLocks(ctx: OperationContext, input: ListInput): Promise<ListAnswer> {
  const { engine } = await resolveNamespace(ctx, input.namespace, LIST_COST_CALLS);
  return ctx.runtime.projection.listing(engine.health().id, input);
}
