import type { LockDetail } from '../../../contract/console/lock-row';
import type { RecordKey } from '../../../storage/record-store';
import type { OperationContext } from '../../operation-context';
import { requireRole } from '../../require-role';

/**
 * A lock as its own page shows it; the last good reading, marked as such, while its backend does
 * not answer.
 */
export async function getLockDetail(ctx: OperationContext, ref: RecordKey): Promise<LockDetail> {
  await requireRole(ctx, 'viewer');
  return ctx.runtime.projection.detail(ref.namespace, ref.name);
}
