import type { CounterPage } from '../../../contract/console/counter-row';
import type { CounterListInput } from '../../../contract/counter/inputs';
import type { OperationContext } from '../../operation-context';
import { requireRole } from '../../require-role';

/** The counter list as the board knows it now: filtered, by name. */
export async function listCounters(
  ctx: OperationContext,
  input: CounterListInput,
): Promise<CounterPage> {
  await requireRole(ctx, 'viewer');
  return ctx.runtime.projection.counters.page(input);
}
