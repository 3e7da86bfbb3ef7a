import type { LockDetail } from '../../../contract/console/lock-row';
import type { RecordKey } from '../../../storage/record-store';
import type { OperationContext } from '../../operation-context';
import { requireRole } from '../../require-role';
import { LIVE_UPDATES, throttledChanges } from '../../throttle';

/** One lock again and again: read afresh when its rev has moved, and at every beat. */
export async function* watchLock(
  ctx: OperationContext,
  { namespace, name }: RecordKey,
): AsyncGenerator<LockDetail, void> {
  await requireRole(ctx, 'viewer');
  const { projection, clock } = ctx.runtime;
  let seen: LockDetail | null = null;
  let seenAt = 0;
  for await (const _ of throttledChanges(
    (listener) => projection.subscribe(listener),
    LIVE_UPDATES,
    ctx.signal,
  )) {
    const isDue = clock.monotonic() - seenAt >= LIVE_UPDATES.maxMs - LIVE_UPDATES.minMs;
    if (seen && !isDue && projection.row(namespace, name)?.rev === seen.row.rev) continue;
    const detail: LockDetail = await projection.detail(namespace, name);
    seen = detail;
    seenAt = clock.monotonic();
    yield detail;
  }
}
