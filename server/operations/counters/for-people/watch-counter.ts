import type { CounterDetail } from '../../../contract/console/counter-row';
import type { RecordKey } from '../../../storage/record-store';
import type { OperationContext } from '../../operation-context';
import { requireRole } from '../../require-role';
import { LIVE_PACE, pacedChanges } from '../../throttle';

/** One counter again and again: read afresh when its rev has moved, and at every beat. */
export async function* watchCounter(
  ctx: OperationContext,
  { namespace, name }: RecordKey,
): AsyncGenerator<CounterDetail, void> {
  await requireRole(ctx, 'viewer');
  const { board, clock } = ctx.runtime;
  let seenRev = -1;
  let seenAt = 0;
  const changes = pacedChanges((listener) => board.subscribe(listener), LIVE_PACE, ctx.signal);
  for await (const _ of changes) {
    const isBeat = clock.monotonic() - seenAt >= LIVE_PACE.beatMs - LIVE_PACE.gapMs;
    if (!isBeat && board.counters.row(namespace, name)?.rev === seenRev) continue;
    const detail = await board.counters.detail(namespace, name);
    seenRev = detail.row.rev;
    seenAt = clock.monotonic();
    yield detail;
  }
}
