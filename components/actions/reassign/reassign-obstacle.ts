import type { LockDetail } from '@/server/contract/console/lock-row';
import { boundText } from '@/server/core/format/durations';

/** Why the lock cannot be reassigned to any waiter; null: it may be possible. */
export function reassignObstacle(
  { row, waiters }: Pick<LockDetail, 'row' | 'waiters'>,
  delayMs: number,
  isClosed: boolean,
): string | null {
  if (waiters.length === 0) return 'no waiters';
  if (isClosed) return 'backend is not granting locks';
  if (row.frozen) return 'not while frozen';
  return delayMs > 0 ? `lock delay of ${boundText(delayMs)}` : null;
}
