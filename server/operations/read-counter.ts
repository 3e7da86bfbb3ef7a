import type { RecordKey } from '../backends/record-store';
import type { CounterDetail } from '../domain/counter-row';
import type { OperationContext } from './operation-context';
import { requireRole } from './require-role';

/**
 * A counter as its own page shows it; the last good reading, marked as such, while its backend does
 * not answer.
 */
export async function readCounter(ctx: OperationContext, ref: RecordKey): Promise<CounterDetail> {
  await requireRole(ctx, 'viewer');
  return ctx.runtime.board.counters.detail(ref.namespace, ref.name);
}
