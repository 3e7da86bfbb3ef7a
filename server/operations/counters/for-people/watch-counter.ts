import type { CounterDetail } from '../../../contract/console/counter-row';
import type { RecordKey } from '../../../storage/record-store';
import type { OperationContext } from '../../operation-context';
import { requireRole } from '../../require-role';
import { LIVE_UPDATES, throttledChanges } from '../../throttle';

/** One counter again and again: read afresh when its rev has moved, and at every beat. */
export async function* watchCounter(
  ctx: OperationContext,
  { namespace, name }: RecordKey,
): AsyncGenerator<CounterDetail, void> {
  await requireRole(ctx, 'viewer');
  const { projection, clock } = ctx.runtime;
  let seenRev = -1;
  let seenAt = 0;
  const changes = throttledChanges(
    (listener) => projection.subscribe(listener),
    LIVE_UPDATES,
    ctx.signal,
  );
  for await (const _ of changes) {
    const isDue = clock.monotonic() - seenAt >= LIVE_UPDATES.maxMs - LIVE_UPDATES.minMs;
    if (!isDue && projection.counters.row(namespace, name)?.rev === seenRev) continue;
    const detail = await projection.counters.detail(namespace, name);
    seenRev = detail.row.rev;
    seenAt = clock.monotonic();
    yield detail;
  }
}
