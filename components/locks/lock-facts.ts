import type { HoldRow, LockRow } from '@/server/contract/console/lock-row';
import { isReleased } from '@/server/core/lock/lock-record';
import { isNameable } from '../deletion/use-selection';

/** Holders renew at a third of the lease. */
const RENEWAL_SHARE = 1 / 3;
/** A holder that renewed within this share of its lease is assumed to be alive. */
const ALIVE_SHARE = 1 / 2;

type RenewalFacts = Pick<HoldRow, 'leaseMs' | 'renewedAt' | 'renewals' | 'releasedAt'>;

/**
 * When the next renewal is due, if the holder renews as our clients do; null if it never has, or
 * has released the lock.
 */
export function renewalDueAt(hold: RenewalFacts): number | null {
  return hold.renewals === 0 || isReleased(hold)
    ? null
    : hold.renewedAt + hold.leaseMs * RENEWAL_SHARE;
}

/** Whether the holder has renewed recently, and so is assumed to be alive. */
export function isRenewing(hold: RenewalFacts, now: number): boolean {
  if (isReleased(hold)) return false;
  return hold.renewals > 0 && now - hold.renewedAt <= hold.leaseMs * ALIVE_SHARE;
}

/**
 * The hold of a lock that is not free. The record of a free one may still have the last, until the
 * next caller or a sweep ends it.
 */
export const presentHold = ({ status, hold }: LockRow): HoldRow | null =>
  status === 'free' ? null : hold;

/** The grant that a row shows: the current hold, or one that expired and was never released. */
export interface ShownGrant {
  owner: string;
  service: string;
  token: number;
  grantedAt: number;
  /** Null while it lasts. */
  endedAt: number | null;
}

export function shownGrant(row: LockRow): ShownGrant | null {
  const hold = presentHold(row);
  if (hold) return { ...hold, endedAt: null };
  if (row.ended && row.status === 'expired') return { ...row.ended, endedAt: row.ended.at };
  return null;
}

/** When the lease expired. */
export function expiredAt(row: LockRow): number | null {
  return row.hold?.expiresAt ?? (row.ended?.cause === 'expired' ? row.ended.at : null);
}

/**
 * How long the lock has been held at `now`, or was held, in milliseconds; null if it is not held.
 * For an unknown lock it is how long it had been held when its backend last responded: a lower
 * bound. Instants are the backend's clock.
 */
export function heldMsOf(row: LockRow, now: number, lastAnswerAt: number): number | null {
  const grant = shownGrant(row);
  if (!grant) return null;
  const until = row.status === 'unknown' ? knownUntil(row, lastAnswerAt) : now;
  return (grant.endedAt ?? until) - grant.grantedAt;
}

/** Until when an unknown lock's hold certainly lasted: the last response, or its lease end. */
export function knownUntil({ hold, readAt }: LockRow, lastAnswerAt: number): number {
  return Math.max(readAt, Math.min(lastAnswerAt, hold?.expiresAt ?? readAt));
}

/** Whether the waiters are the standbys of a leader, which lose nothing by waiting. */
export const hasStandbysOnly = ({ status, waiters, blocked }: LockRow): boolean =>
  status === 'contended' && waiters > 0 && !blocked;

/** Whether a row has a checkbox. What may be done to it is decided by the server. */
export const isSelectable = (row: LockRow): boolean => row.rev > 0 && isNameable(row);
