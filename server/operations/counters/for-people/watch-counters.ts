import type { CounterPage } from '../../../contract/console/counter-row';
import type { CounterListInput } from '../../../contract/counter/inputs';
import type { OperationContext } from '../../operation-context';
import { requireRole } from '../../require-role';
import { LIVE_UPDATES, throttledChanges } from '../../throttle';

/**
 * The counter list again and again: after changes, and at every beat, so that its age can be shown.
 */
export async function* watchCounters(
  ctx: OperationContext,
  input: CounterListInput,
): AsyncGenerator<CounterPage, void> {
  await requireRole(ctx, 'viewer');
  const { projection } = ctx.runtime;
  const changes = throttledChanges(
    (listener) => projection.subscribe(listener),
    LIVE_UPDATES,
    ctx.signal,
  );
  for await (const _ of changes) yield await projection.counters.livePage(input);
}
