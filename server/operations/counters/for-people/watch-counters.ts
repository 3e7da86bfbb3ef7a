import type { CounterPage } from '../../../contract/console/counter-row';
import type { CounterListInput } from '../../../contract/counter/inputs';
import type { OperationContext } from '../../operation-context';
import { requireRole } from '../../require-role';
import { LIVE_PACE, pacedChanges } from '../../throttle';

/**
 * The counter list again and again: after changes, and at every beat, so that its age can be shown.
 */
export async function* watchCounters(
  ctx: OperationContext,
  input: CounterListInput,
): AsyncGenerator<CounterPage, void> {
  await requireRole(ctx, 'viewer');
  const { board } = ctx.runtime;
  const changes = pacedChanges((listener) => board.subscribe(listener), LIVE_PACE, ctx.signal);
  for await (const _ of changes) yield await board.counters.livePage(input);
}
