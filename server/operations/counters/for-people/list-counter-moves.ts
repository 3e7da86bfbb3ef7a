import type { CounterMoveRow } from '../../../contract/console/counter-row';
import type { CounterMovesInput } from '../../../contract/counter/inputs';
import type { OperationContext } from '../../operation-context';
import { requireRole } from '../../require-role';

/**
 * A counter's history, newest first; `older` is the `before` of the next page, or null at the end.
 */
export async function listCounterMoves(
  ctx: OperationContext,
  input: CounterMovesInput,
): Promise<{ rows: CounterMoveRow[]; older: string | null }> {
  await requireRole(ctx, 'viewer');
  return ctx.runtime.events.listCounterEvents(input);
}
