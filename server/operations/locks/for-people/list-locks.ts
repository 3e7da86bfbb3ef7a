import type { LockListInput } from '../../../contract/console/console-inputs';
import type { LockPage } from '../../../contract/console/lock-row';
import type { OperationContext } from '../../operation-context';
import { requireRole } from '../../require-role';

/**
 * The lock list as the board knows it now: filtered, sorted, worst first unless asked otherwise.
 */
export async function listLocks(ctx: OperationContext, input: LockListInput): Promise<LockPage> {
  await requireRole(ctx, 'viewer');
  return ctx.runtime.projection.page(input);
}
