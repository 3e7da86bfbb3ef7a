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

const waitingLabel = (count: number) => (count === 1 ? '1 waits' : `${exactCount(count)} wait`);

/** `silentMs`: for how long its backend has not answered. */
export function lockSentence(row: LockRow, now: number, silentMs: number): LockSentence {
  const { hold, status, waiters, unreadable } = row;
  if (unreadable !== undefined) {
    return {
      now: `Not known: its record cannot be read. ${visibleText(unreadable)}`,
      next: 'Nobody is granted it meanwhile.',
    };
  }
  if (status === 'unknown') {
    return {
      now: `Not known: ${row.backend} has been silent for ${spokenDuration(silentMs)}.`,
      next: 'Below stands the last good reading.',
    };
  }
  if (status === 'frozen') return { now: frozenSentence(row), next: '' };
  if (status === 'stuck') {
    return { now: stuckSentence(row, now), next: hold ? freesSentence(hold, now) : '' };
  }
  if (!hold) {
    if (status === 'delayed') {
      return {
        now: 'Nobody holds it: its last hold was lost, and the lock rests.',
        next: `Opens in ${spokenDuration(Math.max(0, row.delayedUntil - now))}${waiters > 0 ? `; ${waitingLabel(waiters)}` : ''}.`,
      };
    }
    if (status === 'expired') {
      const at = expiredAt(row) ?? now;
      return {
        now: `Its lease ran out ${spokenDuration(now - at)} ago, and nobody released it.`,
        next: 'The next to ask gets it.',
      };
    }
    if (waiters > 0) return { now: `Being handed over; ${waitingLabel(waiters)}.`, next: '' };
    const reason = reasonLabel(row, now, silentMs);
    return { now: reason ? `Nobody holds it, ${reason}.` : 'Nobody holds it.', next: '' };
  }
  const by = row.holders > 1 ? ` by ${exactCount(row.holders)} at once` : '';
  const held = `Held ${spokenDuration(now - hold.grantedAt)}${by}`;
  const leftMs = hold.expiresAt - now;
  if (leftMs <= 0) {
    return {
      now: `${held}; its lease ran out ${spokenDuration(-leftMs)} ago.`,
      next: 'It is about to be settled.',
    };
  }
  return {
    now: waiters > 0 ? `${held}, and ${waitingLabel(waiters)}.` : `${held}, nobody waits.`,
    next: freesSentence(hold, now),
  };
}

function freesSentence({ renewals, renewalsStopped, expiresAt }: HoldRow, now: number): string {
  const left = countdownText(Math.max(0, expiresAt - now));
  if (renewalsStopped) return `Frees in ${left}: its renewals are stopped.`;
  const times = renewals === 1 ? 'once' : `${exactCount(renewals)} times`;
  return `Frees in ${left} unless renewed (${renewals === 0 ? 'never renewed so far' : `renewed ${times}`}).`;
}

function frozenSentence({ frozen, holders, waiters }: LockRow): string {
  const who = frozen ? ` by ${visibleText(frozen.by)}: “${visibleText(frozen.reason)}”` : '';
  const many = holders > 1 ? `, by ${exactCount(holders)}` : '';
  const held = holders > 0 ? ` Still held${many}.` : '';
  return `Frozen${who}.${held}${waiters > 0 ? ` ${waitingLabel(waiters)}.` : ''}`;
}
