import type { LockRow } from '@/server/contract/console/lock-row';
import { baselineText, factorText } from '../format/baseline';
import { boundText } from '../format/bound-text';
import { exactCount } from '../format/counts';
import { agoText, spokenDuration } from '../format/durations';

/** The parts of a row that say why it is stuck. */
type StuckRow = Pick<LockRow, 'stuck' | 'hold' | 'waiters' | 'oldestWaitAt'>;

const waitingLabel = (count: number) => (count === 1 ? '1 waits' : `${exactCount(count)} wait`);

/** Why a lock is stuck, in the few words that a row has room for; empty if it is not. */
export function stuckLabel({ stuck, hold, waiters }: StuckRow, now: number): string {
  switch (stuck?.kind) {
    case undefined:
      return '';
    case 'longWait':
      return `waits past ${boundText(stuck.limitMs)}`;
    case 'longHold':
      return `${excessLabel(stuck, hold, now)}, ${waitingLabel(waiters)}`;
    case 'idleRenewals':
      return stuck.wish === 'asked' ? 'renews on, though asked' : 'renews on, waiters gave up';
  }
}

/** The same as a whole sentence. */
export function stuckSentence(row: StuckRow, now: number): string {
  const { stuck, hold, waiters, oldestWaitAt } = row;
  if (!stuck) return '';
  if (stuck.kind === 'longWait') {
    const waited = spokenDuration(now - (oldestWaitAt ?? now));
    return `Somebody has waited ${waited}; its namespace allows ${boundText(stuck.limitMs)}.`;
  }
  const heldMs = now - (hold?.grantedAt ?? now);
  const held = `Held ${spokenDuration(heldMs)}`;
  const limit =
    stuck.p99Ms === null
      ? `past the ${boundText(stuck.limitMs)} that its namespace allows`
      : `${factorText(heldMs, stuck.p99Ms)} its own p99 of ${baselineText(stuck.p99Ms)}`;
  if (stuck.kind === 'longHold') return `${held}, ${limit}, and ${waitingLabel(waiters)}.`;
  const asked = hold?.askedToRelease;
  const cause =
    stuck.wish === 'asked' && asked
      ? `though ${asked.by} asked it to let go ${agoText(now - asked.at)}`
      : 'until whoever waited gave up';
  return `${held}, ${limit}, and renewed on and on ${cause}.`;
}

function excessLabel(
  { p99Ms, limitMs }: { p99Ms: number | null; limitMs: number },
  hold: LockRow['hold'],
  now: number,
): string {
  if (p99Ms === null) return `past ${boundText(limitMs)}`;
  return `${factorText(now - (hold?.grantedAt ?? now), p99Ms)} its p99`;
}
