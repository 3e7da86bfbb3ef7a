import type { LockRow } from '@/server/domain/lock-row';
import { tenureOf } from './lock-facts';

/**
 * For how long the lock has been held at `now`, its backend's clock, or was; null where nobody has it. Of an unknown lock
 * it is how long it had been held when it was read last.
 */
export function heldMsOf(row: LockRow, now: number): number | null {
  const tenure = tenureOf(row);
  if (!tenure) return null;
  const until = tenure.endedAt ?? (row.status === 'unknown' ? row.readAt : now);
  return until - tenure.grantedAt;
}
