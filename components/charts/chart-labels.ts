import type { LockInsight } from '@/server/contract/console/insight-row';
import type { LockRow } from '@/server/contract/console/lock-row';
import { exactCount } from '../format/counts';
import { durationText } from '../format/durations';
import { RANGE_WORDS } from './chart-range';

type Total = LockInsight['total'];

/** A quantile as a figure; a dash where there was nothing. */
export const quantileText = (ms: number | null): string =>
  ms === null ? '–' : durationText(Math.round(ms));

const times = (count: number, one: string, many: string) =>
  count === 0 ? null : `${exactCount(count)} ${count === 1 ? one : many}`;

/** How holds and waits came to a bad end, in words; null if none did. */
export function endingWords({ expiries, forced, timeouts }: Total): string | null {
  const told = [
    times(expiries, 'lease ran out', 'leases ran out'),
    times(forced, 'hold was ended by force', 'holds were ended by force'),
    times(timeouts, 'waiter gave up', 'waiters gave up'),
  ].filter((words) => words !== null);
  return told.length === 0 ? null : told.join(', ');
}

/** Whether anything at all was counted. */
export const hasHistory = ({ total, holds }: Pick<LockInsight, 'total' | 'holds'>): boolean =>
  total.grants + total.timeouts + total.expiries + total.forced + holds.length > 0;

/**
 * Whether a lock that has no history in a range was granted or released in it all the same: its
 * newest events come into its history a moment later.
 */
export function isAhead(
  { hold, ended }: Pick<LockRow, 'hold' | 'ended'>,
  insight: Pick<LockInsight, 'total' | 'holds' | 'points'>,
): boolean {
  if (hasHistory(insight)) return false;
  const begin = insight.points[0]?.at ?? 0;
  return (hold?.grantedAt ?? ended?.at ?? 0) >= begin;
}

/** All charts in one sentence, for screen readers. */
export function insightSummary({ range, total }: Pick<LockInsight, 'range' | 'total'>): string {
  const granted = times(total.grants, 'grant', 'grants') ?? 'no grant';
  const waits = `waits p50 ${quantileText(total.waitP50Ms)} and p99 ${quantileText(total.waitP99Ms)}`;
  const holds = `holds p50 ${quantileText(total.holdP50Ms)} and p99 ${quantileText(total.holdP99Ms)}`;
  return `In ${RANGE_WORDS[range].whole}: ${granted}; ${waits}; ${holds}; ${endingWords(total) ?? 'nothing ran out, was forced or given up'}.`;
}
