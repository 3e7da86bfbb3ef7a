import type { LockDetail } from '../../../contract/console/lock-row';
import type { RecordKey } from '../../../storage/record-store';
import type { OperationContext } from '../../operation-context';
import { requireRole } from '../../require-role';
import { LIVE_PACE, pacedChanges } from '../../throttle';

/** One lock again and again: read afresh when its rev has moved, and at every beat. */
export async function* watchLock(
  ctx: OperationContext,
  { namespace, name }: RecordKey,
): AsyncGenerator<LockDetail, void> {
  await requireRole(ctx, 'viewer');
  const { board, clock } = ctx.runtime;
  let seen: LockDetail | null = null;
  let seenAt = 0;
  for await (const _ of pacedChanges(
    (listener) => board.subscribe(listener),
    LIVE_PACE,
    ctx.signal,
  )) {
    const isBeat = clock.monotonic() - seenAt >= LIVE_PACE.beatMs - LIVE_PACE.gapMs;
    if (seen && !isBeat && board.row(namespace, name)?.rev === seen.row.rev) continue;
    const detail: LockDetail = await board.detail(namespace, name);
    seen = detail;
    seenAt = clock.monotonic();
    yield detail;
  }
}
