import type { HoldRow, LockRow } from '@/server/contract/console/lock-row';
import type { PermitUse } from '@/server/contract/primitives';
import { isReleased } from '@/server/core/lock/lock-record';
import {
  agoText,
  baselineText,
  boundText,
  countdownText,
  factorText,
  spokenDuration,
} from '../format/durations';
import { exactCount, plural } from '../format/numbers';
import { visibleText } from '../format/visible-name';
import { expiredAt, renewalDueAt } from './lock-facts';
import { pressureLabel, refusedByOwners, refusedLabel } from './pressure-labels';

const ENDED_LABELS = {
  released: 'released',
  expired: 'expired',
  forced: 'force-released',
  superseded: 'ended',
} as const;

/** Why a row is where it is, in a few words. `silentMs`: how long its backend has not answered. */
export function reasonLabel(row: LockRow, now: number, silentMs: number): string {
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
      return `${row.backend} not responding (${spokenDuration(silentMs)})`;
    case 'expiring': {
      const dueAt = hold && renewalDueAt(hold);
      return dueAt ? `renewal overdue by ${spokenDuration(now - dueAt)}` : 'renewal overdue';
    }
    case 'contended':
      if (!hold) return 'handing over';
      if (isReleased(hold) && row.holders <= 1) return keptLabel(hold, now);
      if (row.permits && hold.permits) return permitsLabel(row.permits);
      if (isReleased(hold)) return keptLabel(hold, now);
      if (pressureLabel(row, now)) return pressureLabel(row, now);
      return hold.renewals > 0 ? `renewed ${agoText(now - hold.renewedAt)}` : 'not renewed yet';
    case 'held':
      if (!hold) return '';
      if (isReleased(hold) && row.holders <= 1) return keptLabel(hold, now);
      if (row.permits && hold.permits) return permitsLabel(row.permits);
      return isReleased(hold) ? keptLabel(hold, now) : pressureLabel(row, now);
    case 'frozen':
      return row.frozen ? visibleText(row.frozen.reason) : '';
    case 'delayed':
      return `available in ${spokenDuration(Math.max(0, row.delayedUntil - now))} (lock delay)`;
    case 'free':
      if (hold) {
        return `${isReleased(hold) ? 'released' : 'expired'} ${agoText(now - hold.expiresAt)}`;
      }
      return ended ? `${ENDED_LABELS[ended.cause]} ${agoText(now - ended.at)}` : '';
  }
}

/** Of a lock that was released, and stays held for the least time that its holder asked for. */
function keptLabel({ expiresAt }: HoldRow, now: number): string {
  return `released, frees in ${countdownText(Math.max(0, expiresAt - now))}`;
}

/** 7 of 10 permits. */
const permitsLabel = ({ inUse, capacity }: PermitUse) =>
  `${exactCount(inUse)} of ${plural(capacity, 'permit')}`;

/** What a countdown shows: whole seconds left, and nothing where nothing is known. */
export function leaseLabel(row: LockRow, now: number): string {
  const at = row.hold?.expiresAt ?? expiredAt(row);
  if (at === null || at === undefined) return '–';
  return countdownText(at - now);
}

/** When the next renewal is due, or by how much it is overdue. */
export function renewalDueLabel(dueMs: number): string {
  if (dueMs < 0) return `overdue by ${spokenDuration(-dueMs)}`;
  return dueMs < 1_000 ? 'due now' : `due in ${spokenDuration(dueMs)}`;
}

/** The parts of a row that say why it is stuck. */
type StuckRow = Pick<LockRow, 'stuck' | 'hold' | 'waiters' | 'oldestWaitAt' | 'refused'>;

/** Since when the process of a hold is known to be dead. */
function orphanedLabel({ orphaned, holders }: LockRow, now: number): string {
  if (!orphaned) return '';
  const deadFor = `dead for ${spokenDuration(now - orphaned.since)}`;
  if (holders <= 1) return `process ${deadFor}`;
  return `${exactCount(orphaned.dead)} of ${exactCount(holders)} processes ${deadFor}`;
}

const waitingLabel = (count: number) => `${exactCount(count)} waiting`;

/** Why a lock is stuck, in the few words that a row has room for; empty if it is not. */
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

/** The same as a whole sentence. */
export function stuckSentence(row: StuckRow, now: number): string {
  const { stuck, hold, waiters, oldestWaitAt, refused } = row;
  if (!stuck) return '';
  if (stuck.kind === 'longWait') {
    const waited = spokenDuration(now - (oldestWaitAt ?? now));
    return `Oldest waiter: ${waited}, over the namespace limit of ${boundText(stuck.limitMs)}.`;
  }
  const heldMs = now - (hold?.grantedAt ?? now);
  const held = `Held ${spokenDuration(heldMs)}`;
  const limit =
    stuck.p99Ms === null
      ? `over the namespace limit of ${boundText(stuck.limitMs)}`
      : `${factorText(heldMs, stuck.p99Ms)} its p99 of ${baselineText(stuck.p99Ms)}`;
  if (stuck.kind === 'longHold') return `${held}, ${limit}, with ${waitingLabel(waiters)}.`;
  if (stuck.kind === 'refusals') {
    return `${held}, ${limit}${refused ? `, with ${refusedByOwners(refused)}` : ''}.`;
  }
  const asked = hold?.askedToRelease;
  const cause =
    stuck.wish === 'asked' && asked
      ? `${spokenDuration(now - asked.at)} after ${visibleText(asked.by)} asked it to release`
      : 'though all waiters timed out';
  return `${held}, ${limit}, still renewing ${cause}.`;
}

function excessLabel(
  { p99Ms, limitMs }: { p99Ms: number | null; limitMs: number },
  hold: LockRow['hold'],
  now: number,
): string {
  if (p99Ms === null) return `over ${boundText(limitMs)} limit`;
  return `${factorText(now - (hold?.grantedAt ?? now), p99Ms)} its p99`;
}

/** A lock's state in two sentences: what matters now, and what happens next without action. */
export interface LockSentence {
  now: string;
  next: string;
}

/** `silentMs`: for how long its backend has not answered. */
export function lockSentence(row: LockRow, now: number, silentMs: number): LockSentence {
  const { hold, status, waiters, unreadable } = row;
  if (unreadable !== undefined) {
    return {
      now: `State unknown: record unreadable. ${visibleText(unreadable)}`,
      next: 'No grants until it can be read.',
    };
  }
  if (status === 'unknown') {
    return {
      now:
        `State unknown: backend “${row.backend}” has not responded for ` +
        `${spokenDuration(silentMs)}.`,
      next: 'Showing last known state.',
    };
  }
  if (status === 'frozen') return frozenSentence(row);
  if (status === 'stuck') {
    return { now: stuckSentence(row, now), next: hold ? freesSentence(hold, now) : '' };
  }
  if (status === 'orphaned') return orphanedSentence(row, now);
  if (!hold) {
    if (status === 'delayed') {
      return {
        now:
          'Not held: ' +
          `${row.ended?.cause === 'forced' ? 'force-released' : 'the previous lease expired'}, ` +
          'lock delay in effect.',
        next: `Available in ${spokenDuration(Math.max(0, row.delayedUntil - now))}${waiters > 0 ? `; ${waitingLabel(waiters)}` : ''}.`,
      };
    }
    if (status === 'expired') {
      const at = expiredAt(row) ?? now;
      return {
        now: `Lease expired ${spokenDuration(now - at)} ago without a release.`,
        next: 'Available to the next caller.',
      };
    }
    if (waiters > 0) return { now: `Handing over, ${waitingLabel(waiters)}.`, next: '' };
    const reason = reasonLabel(row, now, silentMs);
    return { now: reason ? `Not held, ${reason}.` : 'Not held.', next: '' };
  }
  if (isReleased(hold) && row.holders <= 1) return keptSentence(hold, waiters, now);
  const by = row.holders > 1 ? ` by ${exactCount(row.holders)} holders` : '';
  const share = row.permits && hold.permits ? `, ${permitsLabel(row.permits)}` : '';
  const held = `Held ${spokenDuration(now - hold.grantedAt)}${by}${share}`;
  const leftMs = hold.expiresAt - now;
  if (leftMs <= 0) {
    return {
      now: `${held}; lease expired ${spokenDuration(-leftMs)} ago.`,
      next: 'Cleaning up.',
    };
  }
  const wanted = [waiters > 0 ? waitingLabel(waiters) : 'no waiters', refusedLabel(row.refused)];
  return {
    now: `${[held, ...wanted].filter(Boolean).join(', ')}.`,
    next: freesSentence(hold, now),
  };
}

function orphanedSentence(row: LockRow, now: number): LockSentence {
  const { hold, orphaned, holders, waiters } = row;
  if (!hold || !orphaned) return { now: '', next: '' };
  const held = `Held ${spokenDuration(now - hold.grantedAt)}`;
  const whose =
    holders <= 1
      ? 'its process is dead'
      : `${exactCount(orphaned.dead)} of its ${exactCount(holders)} processes ${orphaned.dead === 1 ? 'is' : 'are'} dead`;
  const waiting = waiters > 0 ? `, ${waitingLabel(waiters)}` : '';
  const left = countdownText(Math.max(0, hold.expiresAt - now));
  return {
    now: `${held}, but ${whose}: ${visibleText(orphaned.evidence)}${waiting}.`,
    next: `Frees in ${left}, when the lease expires.`,
  };
}

function keptSentence(hold: HoldRow, waiters: number, now: number): LockSentence {
  const { releasedAt = now, expiresAt } = hold;
  if (expiresAt <= now) return { now: 'Released.', next: 'Cleaning up.' };
  const waiting = waiters > 0 ? waitingLabel(waiters) : 'no waiters';
  return {
    now: `Released ${agoText(now - releasedAt)}, still held for its minimum time, ${waiting}.`,
    next: freesSentence(hold, now),
  };
}

function freesSentence(hold: HoldRow, now: number): string {
  const { renewals, renewalsStopped, expiresAt } = hold;
  const left = countdownText(Math.max(0, expiresAt - now));
  if (isReleased(hold)) return `Frees in ${left}.`;
  if (renewalsStopped) return `Frees in ${left}: renewals blocked.`;
  const times = renewals === 1 ? 'once' : `${exactCount(renewals)} times`;
  return `Frees in ${left} unless renewed (${renewals === 0 ? 'not renewed yet' : `renewed ${times}`}).`;
}

function frozenSentence({ frozen, holders, waiters }: LockRow): LockSentence {
  // A reason may bring its own full stop.
  const reason = visibleText(frozen?.reason ?? '').replace(/[.\s]+$/, '');
  const by = frozen ? ` by ${visibleText(frozen.by)}: “${reason}”` : '';
  const held = holders > 1 ? `Still held by ${exactCount(holders)}.` : 'Still held.';
  const next = [holders > 0 && held, waiters > 0 && `${waitingLabel(waiters)}.`];
  return { now: `Frozen${by}.`, next: next.filter(Boolean).join(' ') };
}
