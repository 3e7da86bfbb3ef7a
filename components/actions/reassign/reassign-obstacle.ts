import type { LockDetail } from '@/server/contract/console/lock-row';
import { boundText } from '@/server/core/format/durations';

/** Why no waiter can be granted the lock by a reassignment, whichever it is; null: one may be. */
export function reassignObstacle(
  { row, waiters }: Pick<LockDetail, 'row' | 'waiters'>,
  delayMs: number,
  isClosed: boolean,
): string | null {
  if (waiters.length === 0) return 'no waiters';
  if (isClosed) return 'no grant while backend is closed';
  if (row.frozen) return 'not while frozen';
  return delayMs > 0 ? `lock delay of ${boundText(delayMs)}` : null;
}
