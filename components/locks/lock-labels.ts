import type { Outage, Refusing, StoreRefusal } from '@/server/contract/console/backend-health';
import type { HoldRow, LockRow } from '@/server/contract/console/lock-row';
import type { PermitUse } from '@/server/contract/primitives';
import {
  agoText,
  boundText,
  countdownText,
  factorText,
  runningDuration,
  shortDuration,
  spokenDuration,
} from '@/server/core/format/durations';
import { exactCount, plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { isReleased } from '@/server/core/lock/lock-record';
import { expiredAt, hasStandbysOnly, renewalDueAt } from './lock-facts';
import { pressureLabel, refusedLabel } from './pressure-labels';

/** How the last hold of a lock ended. */
export const ENDED_LABELS = {
  released: 'released',
  expired: 'expired',
  forced: 'force-released',
  superseded: 'ended',
} as const;

/** For how long a store has not responded, or not served; with a refusal, it responds. */
interface StoreOutage {
  silentMs: number;
  refusal: StoreRefusal | null;
}

const outageLabel = (refusing: Refusing | null | undefined): Outage => refusing ?? 'not responding';

/**
 * Why a row is where it is, in a few words.
 *
 * @param isDeadlocked the row says elsewhere that it is part of a deadlock, which is reason enough
 */
export function reasonLabel(
  row: LockRow,
  now: number,
  { silentMs, refusal }: StoreOutage,
  isDeadlocked = false,
): string {
  const { hold, ended, status } = row;
  switch (status) {
    case 'stuck':
      return stuckLabel(row, now);
    case 'orphaned':
      return orphanedLabel(row, now);
    case 'expired': {
      const at = expiredAt(row);
      return at === null ? 'expired' : `expired ${agoText(now - at)}`;
    }
    case 'unknown':
      if (row.unreadable !== undefined) return 'record unreadable';
      return `${row.backend} ${outageLabel(refusal?.outage)} (${spokenDuration(silentMs)})`;
    case 'expiring': {
      const dueAt = hold && renewalDueAt(hold);
      return dueAt && now - dueAt >= 1_000
        ? `renewal overdue by ${shortDuration(now - dueAt)}`
        : 'renewal overdue';
    }
    case 'contended':
      if (!hold) return 'handing over';
      return (
        holdLabel(row, hold, now) ||
        pressureLabel(row, now) ||
        (isDeadlocked ? '' : demandLabel(row, hold, now))
      );
    case 'held':
      return hold ? holdLabel(row, hold, now) || pressureLabel(row, now) : '';
    case 'frozen':
      return row.frozen ? visibleText(row.frozen.reason) : '';
    case 'delayed':
      return `grants paused, available in ${runningDuration(row.delayedUntil - now)}`;
    case 'free':
      if (hold) {
        return `${isReleased(hold) ? 'released' : 'expired'} ${agoText(now - hold.expiresAt)}`;
      }
      return ended ? `${ENDED_LABELS[ended.cause]} ${agoText(now - ended.at)}` : '';
  }
}

/** A label for what is special about the hold; empty for an ordinary one. */
function holdLabel(row: LockRow, hold: HoldRow, now: number): string {
  if (isForcedLately(row, now)) return forcedLabel(hold, now);
  if (isReleased(hold) && row.holders <= 1) return keptLabel(hold, now);
  if (row.permits && hold.permits) return permitsLabel(row.permits);
  return isReleased(hold) ? keptLabel(hold, now) : '';
}

/** How long a row shows the effect of an operator's act. */
const EFFECT_SHOWN_MS = 30_000;

const isForcedLately = ({ ended }: LockRow, now: number) =>
  ended?.cause === 'forced' && now - ended.at <= EFFECT_SHOWN_MS;

const forcedLabel = ({ grantedAt }: HoldRow, now: number) =>
  `granted ${agoText(now - grantedAt)}, after a force release`;

/** The label of a lock that was released, and stays held for its holder's minimum hold time. */
function keptLabel({ expiresAt }: HoldRow, now: number): string {
  return `released, frees in ${countdownText(Math.max(0, expiresAt - now))}`;
}

/** The label of a lock with waiters whose hold is not unusual by its own history. */
function demandLabel(row: LockRow, { grantedAt }: HoldRow, now: number): string {
  if (hasStandbysOnly(row)) return plural(row.waiters, 'standby', 'standbys');
  const usual = row.ownHold ?? row.namespaceHold;
  if (!usual) return 'steady';
  const heldMs = now - grantedAt;
  if (heldMs <= usual.p99Ms) return 'under p99, steady';
  return `${factorText(heldMs, usual.p99Ms)} p99 of namespace`;
}

/**
 * How many callers wait, to be shown before the reason of a row; empty if none does, if that is not
 * known, and if the reason says it.
 */
export function waitersLabel(row: LockRow, reason: string): string {
  const { status, waiters } = row;
  if (waiters === 0 || status === 'unknown' || status === 'stuck') return '';
  if (!hasStandbysOnly(row)) return waitingLabel(waiters);
  const standbys = plural(waiters, 'standby', 'standbys');
  return reason === standbys ? '' : standbys;
}

/** 7 of 10 permits. */
const permitsLabel = ({ inUse, capacity }: PermitUse) =>
  `${exactCount(inUse)} of ${plural(capacity, 'permit')}`;

/** What the countdown of a lease shows: whole seconds left; a dash if there is no lease. */
export function leaseLabel(row: LockRow, now: number): string {
  const at = row.hold?.expiresAt ?? expiredAt(row);
  if (at === null || at === undefined) return '–';
  return countdownText(at - now);
}

/** When the next renewal is due, or by how much it is overdue. */
export function renewalDueLabel(dueMs: number): string {
  if (dueMs <= -1_000) return `overdue by ${spokenDuration(-dueMs)}`;
  return dueMs < 1_000 ? 'due now' : `due in ${spokenDuration(dueMs)}`;
}

/** The parts of a row that say why it is stuck. */
type StuckRow = Pick<LockRow, 'stuck' | 'hold' | 'waiters' | 'oldestWaitAt' | 'refused'>;

/** Since when the process of a hold is known to be dead. */
function orphanedLabel({ orphaned, holders }: LockRow, now: number): string {
  if (!orphaned) return '';
  const deadFor = `dead for ${shortDuration(now - orphaned.since)}`;
  if (holders <= 1) return `process ${deadFor}`;
  return `${exactCount(orphaned.dead)} of ${exactCount(holders)} ${deadFor}`;
}

const waitingLabel = (count: number) => `${exactCount(count)} waiting`;

/** Why a lock is stuck, in few enough words for a row; empty if it is not. */
export function stuckLabel({ stuck, hold, waiters, refused }: StuckRow, now: number): string {
  switch (stuck?.kind) {
    case undefined:
      return '';
    case 'longWait':
      return `wait over ${boundText(stuck.limitMs)} limit`;
    case 'longHold':
      return `${excessLabel(stuck, hold, now)}, ${waitingLabel(waiters)}`;
    case 'refusals':
      return [excessLabel(stuck, hold, now), refusedLabel(refused)].filter(Boolean).join(', ');
    case 'idleRenewals':
      return stuck.wish === 'asked'
        ? 'still renewing after release request'
        : 'still renewing, waiters timed out';
  }
}

function excessLabel(
  { p99Ms, limitMs }: { p99Ms: number | null; limitMs: number },
  hold: LockRow['hold'],
  now: number,
): string {
  if (p99Ms === null) return `over ${boundText(limitMs)} limit`;
  return `${factorText(now - (hold?.grantedAt ?? now), p99Ms)} p99`;
}

/**
 * Why a lock's present state is not known; null if it is known.
 *
 * @param refusing how its store refuses to serve; null: it does not respond
 */
export function unknownLabel(
  { status, unreadable }: Pick<LockRow, 'status' | 'unreadable'>,
  refusing: Refusing | null,
): string | null {
  if (status !== 'unknown') return null;
  if (unreadable !== undefined) return 'unknown: record unreadable';
  return `unknown: backend ${outageLabel(refusing)}`;
}

/**
 * The token beside the name of a lock: that of the hold that is shown, or the last one.
 *
 * @param lastToken 0: there has been none
 */
export function shownToken(hold: HoldRow | null, lastToken: number) {
  if (hold) return { label: 'token', token: hold.token };
  return lastToken > 0 ? { label: 'last token', token: lastToken } : null;
}
