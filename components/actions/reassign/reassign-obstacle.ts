import type { LockDetail, LockRow } from '@/server/contract/console/lock-row';
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

/** Whether a row of the list shows a waiter to whom its lock could be reassigned. */
export const isReassignable = ({ hold, waiters, frozen, status }: LockRow): boolean =>
  hold !== null && waiters > 0 && frozen === null && status !== 'unknown';
