import type { HoldRow, LockRow } from '@/server/contract/console/lock-row';
import { countdownText } from '../../format/countdown';
import { exactCount } from '../../format/counts';
import { spokenDuration } from '../../format/durations';
import { visibleText } from '../../format/visible-name';
import { expiredAt, reasonLabel } from '../lock-facts';
import { stuckSentence } from '../stuck-labels';

/** A lock's state in two sentences: what matters now, and what happens next without action. */
export interface LockSentence {
  now: string;
  next: string;
}

const waitingLabel = (count: number) => `${exactCount(count)} waiting`;

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
      now: `State unknown: backend “${row.backend}” has not responded for ${spokenDuration(silentMs)}.`,
      next: 'Showing last known state.',
    };
  }
  if (status === 'frozen') return frozenSentence(row);
  if (status === 'stuck') {
    return { now: stuckSentence(row, now), next: hold ? freesSentence(hold, now) : '' };
  }
  if (!hold) {
    if (status === 'delayed') {
      return {
        now: `Not held: ${row.ended?.cause === 'forced' ? 'force-released' : 'the previous lease expired'}, lock delay in effect.`,
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
  const by = row.holders > 1 ? ` by ${exactCount(row.holders)} holders` : '';
  const held = `Held ${spokenDuration(now - hold.grantedAt)}${by}`;
  const leftMs = hold.expiresAt - now;
  if (leftMs <= 0) {
    return {
      now: `${held}; lease expired ${spokenDuration(-leftMs)} ago.`,
      next: 'Cleaning up.',
    };
  }
  return {
    now: waiters > 0 ? `${held}, ${waitingLabel(waiters)}.` : `${held}, no waiters.`,
    next: freesSentence(hold, now),
  };
}

function freesSentence({ renewals, renewalsStopped, expiresAt }: HoldRow, now: number): string {
  const left = countdownText(Math.max(0, expiresAt - now));
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
