import type { LockInsight } from '@/server/contract/console/insight-row';
import type { LockRow } from '@/server/contract/console/lock-row';
import { durationText } from '@/server/core/format/durations';
import { exactCount, plural } from '@/server/core/format/numbers';
import { rangeLabel } from './chart-range';

type Total = LockInsight['total'];

/** A quantile as a figure; a dash where there was nothing. */
export const quantileLabel = (ms: number | null): string =>
  ms === null ? '–' : durationText(Math.round(ms));

const countLabel = (count: number, one: string, many: string) =>
  count === 0 ? null : `${exactCount(count)} ${count === 1 ? one : many}`;

/** The abnormal ends of holds and waits, in words; null if there were none. */
export function abnormalEndsLabel({ expiries, forced, timeouts }: Total): string | null {
  const parts = [
    countLabel(expiries, 'lease expired', 'leases expired'),
    countLabel(forced, 'hold force-released', 'holds force-released'),
    countLabel(timeouts, 'waiter timed out', 'waiters timed out'),
  ].filter((words) => words !== null);
  return parts.length === 0 ? null : parts.join(', ');
}

type Durations = Pick<LockInsight, 'points'>;

/** The longest p99 of a chart of wait or hold times; 0: a sentence replaces the chart. */
export const longestP99Ms = ({ points }: Durations, of: 'wait' | 'hold'): number =>
  Math.max(0, ...points.map((point) => point[`${of}P99Ms`] ?? 0));

/** Whether anything at all was counted. */
export const hasHistory = (insight: Pick<LockInsight, 'total' | 'holds'>): boolean =>
  insight.total.refused > 0 || hasEvents(insight);

/** Refused attempts are counted apart from the events of a lock. */
const hasEvents = ({ total, holds }: Pick<LockInsight, 'total' | 'holds'>): boolean =>
  total.grants + total.timeouts + total.expiries + total.forced + holds.length > 0;

/**
 * Whether a lock without events in a range was nevertheless granted or released in it: the newest
 * events reach the history a moment later.
 */
export function isHistoryBehind(
  { hold, ended }: Pick<LockRow, 'hold' | 'ended'>,
  insight: Pick<LockInsight, 'total' | 'holds' | 'points'>,
): boolean {
  if (hasEvents(insight)) return false;
  const begin = insight.points[0]?.at ?? 0;
  return (hold?.grantedAt ?? ended?.at ?? 0) >= begin;
}

/** All charts in one sentence, for screen readers. */
export function chartsSummary(
  { range, total }: Pick<LockInsight, 'range' | 'total'>,
  at: number | null = null,
): string {
  const granted = countLabel(total.grants, 'grant', 'grants') ?? 'no grants';
  const waits = `wait p50 ${quantileLabel(total.waitP50Ms)}, p99 ${quantileLabel(total.waitP99Ms)}`;
  const holds = `hold p50 ${quantileLabel(total.holdP50Ms)}, p99 ${quantileLabel(total.holdP99Ms)}`;
  const ends = abnormalEndsLabel(total) ?? 'no abnormal ends';
  const refused = total.refused === 0 ? '' : `; ${plural(total.refused, 'attempt')} refused`;
  return `In the ${rangeLabel(range, at)}: ${granted}; ${waits}; ${holds}; ${ends}${refused}.`;
}
