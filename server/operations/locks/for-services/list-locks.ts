import { visiblePrefix } from '../../../auth/api-keys/authorise-call';
import type { ListAnswer } from '../../../contract/lock/answers';
import type { ListInput } from '../../../contract/lock/inputs';
import type { OperationContext } from '../../operation-context';
import { resolveNamespace } from '../resolve-lock';

/** How many plain calls it counts as: it can read every lock of the namespace. */
export const LIST_COST_CALLS = 10;

/**
 * A service's overview of a namespace that its key has access to, as this process last read it: it
 * costs no read of any backend, and may be slightly out of date. A key with a prefix sees no other
 * names.
 *
 * @throws LockyardError as `resolveNamespace`; `BACKEND_DOWN` if this process has never read the
 *   backend
 */
export async function listLocks(ctx: OperationContext, input: ListInput): Promise<ListAnswer> {
  const { engine, caller } = await resolveNamespace(ctx, 'lock.list', input, LIST_COST_CALLS);
  const prefix = visiblePrefix(caller, input.prefix);
  const seen = { ...input, prefix: prefix === '' ? undefined : prefix };
  return ctx.runtime.projection.listing(engine.health().id, seen, caller.service);
}
