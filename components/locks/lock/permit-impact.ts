import type { HoldRow, LockDetail, WaiterRow } from '@/server/contract/console/lock-row';
import { exactCount, plural } from '@/server/core/format/numbers';
import { visibleText } from '@/server/core/format/visible-text';
import { waitersThatFit } from '@/server/core/lock/permits';
import { permitsLeft } from '@/server/core/verdict/release-impact';

/**
 * Where the permits of this hold would go; null for a lock that is not held with permits.
 *
 * @param delay how long nothing would be granted first; null if there would be no delay
 */
export function permitImpact(
  { row, waiters }: Pick<LockDetail, 'row' | 'waiters'>,
  chosen: HoldRow,
  delay: string | null,
): string | null {
  if (!row.permits || chosen.permits === undefined) return null;
  const { capacity } = row.permits;
  const left = permitsLeft(row, chosen);
  const served = waitersThatFit(waiters, left);
  const [first] = waiters;
  if (served.length > 0) {
    const after = delay ? ` after ${delay}` : '';
    const others = stillWaiting(waiters.length - served.length);
    return `${joined(served.map(permitsTo))}${after}. ${others}`;
  }
  if (first?.permits !== undefined) {
    const free = left > 0 ? `${exactCount(left)} would be free` : 'none would be free';
    return `No grant: ${visibleText(first.owner)} waits for ${exactCount(first.permits)}, ${free}.`;
  }
  if (first) return row.holders > 1 ? 'Other holders of permits keep it.' : null;
  return `${exactCount(Math.max(0, left))} of ${plural(capacity, 'permit')} would be free.`;
}

const permitsTo = ({ owner, permits = 0 }: WaiterRow) =>
  `${plural(permits, 'permit')} ${permits === 1 ? 'goes' : 'go'} to ${visibleText(owner)}`;

/** Lists at most three of them by name. */
function joined(grants: string[]): string {
  const more = grants.length > 3 ? `, and to ${plural(grants.length - 3, 'other')}` : '';
  return `${grants.slice(0, 3).join(', ')}${more}`;
}

/** How many others wait. */
export const stillWaiting = (count: number) =>
  count > 0 ? `${exactCount(count)} still waiting.` : 'No other waiters.';
