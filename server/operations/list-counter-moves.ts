import type { CounterMovesInput } from '../domain/counter-inputs';
import type { CounterMoveRow } from '../domain/counter-row';
import type { OperationContext } from './operation-context';
import { requireRole } from './require-role';

/**
 * A counter's history, newest first; `older` is the `before` of the next page, or null at the end.
 */
export async function listCounterMoves(
  ctx: OperationContext,
  input: CounterMovesInput,
): Promise<{ rows: CounterMoveRow[]; older: string | null }> {
  await requireRole(ctx, 'viewer');
  return ctx.runtime.events.moves(input);
}
