import type { CounterDetail } from '../../../contract/console/counter-row';
import type { RecordKey } from '../../../storage/record-store';
import type { OperationContext } from '../../operation-context';
import { requireRole } from '../../require-role';

/**
 * A counter as its own page shows it; the last good reading, marked as such, while its backend does
 * not answer.
 */
export async function getCounterDetail(
  ctx: OperationContext,
  ref: RecordKey,
): Promise<CounterDetail> {
  await requireRole(ctx, 'viewer');
  return ctx.runtime.projection.counters.detail(ref.namespace, ref.name);
}
