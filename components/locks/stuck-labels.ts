import type { LockRow } from '@/server/contract/console/lock-row';
import { baselineText, factorText } from '../format/baseline';
import { boundText } from '../format/bound-text';
import { exactCount } from '../format/counts';
import { spokenDuration } from '../format/durations';
import { visibleText } from '../format/visible-name';

/** The parts of a row that say why it is stuck. */
type StuckRow = Pick<LockRow, 'stuck' | 'hold' | 'waiters' | 'oldestWaitAt'>;

const waitingLabel = (count: number) => `${exactCount(count)} waiting`;

/** Why a lock is stuck, in the few words that a row has room for; empty if it is not. */
export function stuckLabel({ stuck, hold, waiters }: StuckRow, now: number): string {
  switch (stuck?.kind) {
    case undefined:
      return '';
    case 'longWait':
      return `wait over ${boundText(stuck.limitMs)} limit`;
    case 'longHold':
      return `${excessLabel(stuck, hold, now)}, ${waitingLabel(waiters)}`;
    case 'idleRenewals':
      return stuck.wish === 'asked'
        ? 'still renewing after release request'
        : 'still renewing, waiters timed out';
  }
}

/** The same as a whole sentence. */
export function stuckSentence(row: StuckRow, now: number): string {
  const { stuck, hold, waiters, oldestWaitAt } = row;
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
