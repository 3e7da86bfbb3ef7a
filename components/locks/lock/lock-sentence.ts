import type { HoldRow, LockRow } from '@/server/contract/console/lock-row';
import { countdownText } from '../../format/countdown';
import { exactCount } from '../../format/counts';
import { spokenDuration } from '../../format/durations';
import { visibleText } from '../../format/visible-name';
import { lapsedAt, reasonWords } from '../lock-facts';
import { stuckSentence } from '../stuck-labels';

/** A lock's state in two sentences: what matters now, and what happens next without action. */
export interface LockSentence {
  now: string;
  next: string;
}

const waits = (count: number) => (count === 1 ? '1 waits' : `${exactCount(count)} wait`);

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
  if (status === 'frozen') return { now: frozenWords(row), next: '' };
  if (status === 'stuck') {
    return { now: stuckSentence(row, now), next: hold ? whenItFrees(hold, now) : '' };
  }
  if (!hold) {
    if (status === 'delayed') {
      return {
        now: 'Nobody holds it: its last hold was lost, and the lock rests.',
        next: `Opens in ${spokenDuration(Math.max(0, row.delayedUntil - now))}${waiters > 0 ? `; ${waits(waiters)}` : ''}.`,
      };
    }
    if (status === 'expired') {
      const at = lapsedAt(row) ?? now;
      return {
        now: `Its lease ran out ${spokenDuration(now - at)} ago, and nobody released it.`,
        next: 'The next to ask gets it.',
      };
    }
    if (waiters > 0) return { now: `Being handed over; ${waits(waiters)}.`, next: '' };
    const reason = reasonWords(row, now, silentMs);
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
    now: waiters > 0 ? `${held}, and ${waits(waiters)}.` : `${held}, nobody waits.`,
    next: whenItFrees(hold, now),
  };
}

function whenItFrees({ renewals, renewalsStopped, expiresAt }: HoldRow, now: number): string {
  const left = countdownText(Math.max(0, expiresAt - now));
  if (renewalsStopped) return `Frees in ${left}: its renewals are stopped.`;
  const times = renewals === 1 ? 'once' : `${exactCount(renewals)} times`;
  return `Frees in ${left} unless renewed (${renewals === 0 ? 'never renewed so far' : `renewed ${times}`}).`;
}

function frozenWords({ frozen, holders, waiters }: LockRow): string {
  const who = frozen ? ` by ${visibleText(frozen.by)}: “${visibleText(frozen.reason)}”` : '';
  const many = holders > 1 ? `, by ${exactCount(holders)}` : '';
  const held = holders > 0 ? ` Still held${many}.` : '';
  return `Frozen${who}.${held}${waiters > 0 ? ` ${waits(waiters)}.` : ''}`;
}
