import type { LockRow } from '@/server/contract/console/lock-row';
import { countdownText } from '../format/countdown';
import { agoText, spokenDuration } from '../format/durations';
import { visibleText } from '../format/visible-name';
import { stuckLabel } from './stuck-labels';

/** Holders renew at a third of the lease. */
const RENEWAL_SHARE = 1 / 3;
/** A holder that renewed within this share of its lease is taken to be alive. */
const ALIVE_SHARE = 1 / 2;

type RenewalFacts = { leaseMs: number; renewedAt: number; renewals: number };

/**
 * When the next renewal should come, if the holder renews as ours does; null for one that never
 * has.
 */
export function renewalDueAt(hold: RenewalFacts): number | null {
  return hold.renewals === 0 ? null : hold.renewedAt + hold.leaseMs * RENEWAL_SHARE;
}

/** Whether the holder has shown lately that it is alive. */
export function isRenewing(hold: RenewalFacts, now: number): boolean {
  return hold.renewals > 0 && now - hold.renewedAt <= hold.leaseMs * ALIVE_SHARE;
}

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
  if (row.hold) return { ...row.hold, endedAt: null };
  if (row.ended && row.status === 'expired') return { ...row.ended, endedAt: row.ended.at };
  return null;
}

/** When the lease expired. */
export function expiredAt(row: LockRow): number | null {
  return row.hold?.expiresAt ?? (row.ended?.cause === 'expired' ? row.ended.at : null);
}

const ENDED_LABELS = {
  released: 'released',
  expired: 'expired',
  forced: 'force-released',
  superseded: 'ended',
} as const;

/**
 * Why a row is where it is, in a few words. `silentMs`: for how long its backend has not answered.
 */
export function reasonLabel(row: LockRow, now: number, silentMs: number): string {
  const { hold, ended, status } = row;
  switch (status) {
    case 'stuck':
      return stuckLabel(row, now);
    case 'expired': {
      const at = expiredAt(row);
      return at === null ? 'expired' : `expired ${agoText(now - at)}`;
    }
    case 'unknown':
      if (row.unreadable !== undefined) return 'record unreadable';
      return `${row.backend} not responding (${spokenDuration(silentMs)})`;
    case 'expiring': {
      const dueAt = hold && renewalDueAt(hold);
      return dueAt ? `renewal overdue by ${spokenDuration(now - dueAt)}` : 'renewal overdue';
    }
    case 'contended':
      if (!hold) return 'handing over';
      return hold.renewals > 0 ? `renewed ${agoText(now - hold.renewedAt)}` : 'not renewed yet';
    case 'held':
      return '';
    case 'frozen':
      return row.frozen ? visibleText(row.frozen.reason) : '';
    case 'delayed':
      return `available in ${spokenDuration(Math.max(0, row.delayedUntil - now))} (lock delay)`;
    case 'free':
      if (hold) return `expired ${agoText(now - hold.expiresAt)}`;
      return ended ? `${ENDED_LABELS[ended.cause]} ${agoText(now - ended.at)}` : '';
  }
}

/** What a countdown shows: whole seconds left, and nothing where nothing is known. */
export function leaseLabel(row: LockRow, now: number): string {
  const at = row.hold?.expiresAt ?? expiredAt(row);
  if (at === null || at === undefined) return '–';
  return countdownText(at - now);
}
