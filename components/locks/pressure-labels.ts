import type { LockRow, RefusedAttempts } from '@/server/contract/console/lock-row';
import { agoText, factorText } from '@/server/core/format/durations';
import { exactCount, plural } from '@/server/core/format/numbers';

type PressedRow = Pick<
  LockRow,
  'hold' | 'ownHold' | 'waiters' | 'queueTrend' | 'blocked' | 'refused'
>;

/**
 * What is unusual about the demand for a lock, in few enough words for a row: how far its hold
 * exceeds the usual, how its queue changes, how many attempts were refused. At most two of these;
 * empty if there are none.
 */
export function pressureLabel(row: PressedRow, now: number): string {
  const labels = [excessOf(row, now), trendOf(row), refusedLabel(row.refused)];
  return labels
    .filter((label) => label !== '')
    .slice(0, 2)
    .join(', ');
}

/** Empty unless a caller wants the lock: a long hold alone needs no attention. */
function excessOf({ hold, ownHold, waiters, refused }: PressedRow, now: number): string {
  if (!hold || !ownHold || (waiters === 0 && !refused)) return '';
  const heldMs = now - hold.grantedAt;
  return heldMs > ownHold.p99Ms ? `${factorText(heldMs, ownHold.p99Ms)} p99` : '';
}

/** Empty unless callers are blocked: the number of standbys changes for no reason. */
function trendOf({ waiters, blocked, queueTrend }: PressedRow): string {
  return waiters > 0 && blocked ? trendLabel(queueTrend) : '';
}

/** By how many waiters per minute a queue grows or shrinks; empty if it is steady. */
export function trendLabel(queueTrend = 0): string {
  if (queueTrend === 0) return '';
  return queueTrend > 0
    ? `rising, +${exactCount(queueTrend)} a minute`
    : `falling, −${exactCount(-queueTrend)} a minute`;
}

/** 214 attempts refused. */
export function refusedLabel(refused: RefusedAttempts | undefined): string {
  return refused ? `${plural(refused.attempts, 'attempt')} refused` : '';
}

/** 214 attempts of 6 owners refused, last 6 s ago. */
export function refusedSentence(refused: RefusedAttempts, now: number): string {
  return `${refusedByOwners(refused)}, last ${agoText(now - refused.lastAt)}`;
}

/** 214 attempts of 6 owners refused. */
function refusedByOwners({ attempts, owners, areMore }: RefusedAttempts): string {
  const by = areMore ? `over ${exactCount(owners)} owners` : plural(owners, 'owner');
  return `${plural(attempts, 'attempt')} of ${by} refused`;
}
