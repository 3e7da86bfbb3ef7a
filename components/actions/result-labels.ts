import type { HoldRow } from '@/server/contract/console/lock-row';
import { boundText } from '../format/bound-text';
import { plural } from '../format/counts';
import { rangeText } from '../format/durations';
import { shortToken } from '../format/tokens';
import { visibleText } from '../format/visible-name';
import type { ActionResult } from './action-results';

/** The result in a few words, for a row. */
export function resultLabel(result: ActionResult): string {
  switch (result.kind) {
    case 'extended':
      return `extended by ${rangeText(result.byMs)}`;
    case 'asked':
      return 'asked to let go';
    case 'stopped':
      return 'renewals stopped';
    case 'forced':
      return releaseLabel(result);
    default:
      return result.kind;
  }
}

function releaseLabel(result: Extract<ActionResult, { kind: 'forced' }>): string {
  if (result.next.kind === 'nobody' && result.waitersAfter > 0) return 'released';
  return result.next.kind === 'nobody'
    ? 'released, now free'
    : `released to ${visibleText(result.next.owner)}`;
}

/**
 * The result in full. An offer is shown as a grant once its recipient is seen to hold the lock.
 *
 * @param hold what the lock's last reading shows
 */
export function resultMessage(result: ActionResult, hold: HoldRow | null): string {
  if (result.kind === 'asked' || result.kind === 'stopped') {
    return result.kind === 'asked'
      ? `Asked ${visibleText(result.owner)}: it is told at its next renewal.`
      : `Stopped the renewals of ${visibleText(result.owner)}: its hold ends with its lease.`;
  }
  if (result.kind === 'frozen' || result.kind === 'unfrozen') {
    return result.kind === 'frozen'
      ? 'Frozen: nobody is granted this lock.'
      : 'Unfrozen: whoever asks may have it again.';
  }
  if (result.kind === 'extended') {
    return `Extended token ${shortToken(result.token)} by ${rangeText(result.byMs)}.`;
  }
  const { next, token, waitersBefore, waitersAfter, delayMs } = result;
  const released = `Released token ${shortToken(token)}`;
  if (next.kind === 'nobody') {
    const wait =
      waitersAfter > 0 ? `${plural(waitersAfter, 'waits', 'wait')} on.` : 'Nobody waits for it.';
    const pause = delayMs > 0 ? ` Nobody is granted it for ${boundText(delayMs)}.` : '';
    return `${released}.${pause} ${wait}`;
  }
  const granted = hold !== null && hold.owner === next.owner && hold.token > token ? hold : null;
  const to = visibleText(next.owner);
  const grantedToken = granted?.token ?? next.token;
  const waiters = `Waiters ${waitersBefore} → ${granted ? Math.min(waitersAfter, waitersBefore - 1) : waitersAfter}.`;
  if (grantedToken === null) return `${released}, offered to ${to}. ${waiters}`;
  return `${released}, granted ${shortToken(grantedToken)} to ${to}. ${waiters}`;
}
