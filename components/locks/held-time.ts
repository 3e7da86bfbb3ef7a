import type { LockRow } from '@/server/contract/console/lock-row';
import { shownGrant } from './lock-facts';

/**
 * For how long the lock has been held at `now`, or was, in milliseconds; null where nothing holds
 * it. Of an unknown lock it is how long it had been held when its backend answered last: a lower
 * bound. Instants are the backend's clock.
 */
export function heldMsOf(row: LockRow, now: number, lastAnswerAt: number): number | null {
  const grant = shownGrant(row);
  if (!grant) return null;
  const until = row.status === 'unknown' ? knownUntil(row, lastAnswerAt) : now;
  return (grant.endedAt ?? until) - grant.grantedAt;
}

/**
 * Until when the hold of an unknown lock is known to have lasted: the last answer, or the end of
 * its lease before that.
 */
export function knownUntil({ hold, readAt }: LockRow, lastAnswerAt: number): number {
  return Math.max(readAt, Math.min(lastAnswerAt, hold?.expiresAt ?? readAt));
}
