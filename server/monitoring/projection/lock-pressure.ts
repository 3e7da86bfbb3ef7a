import type { LockRow, RefusedAttempts } from '../../contract/console/lock-row';
import type { RefusalCounts } from '../../core/statistics/refusal-counts';
import { blockedCallers } from '../../core/status/blocking-time';
import type { StatusFacts } from '../../core/status/lock-status';
import { shownRefusals } from '../../core/status/refused-attempts';
import type { LockBaselines } from '../../core/status/stuck-reason';

/** The callers that a lock keeps from their work, as pages show them. */
export type LockPressure = Pick<LockRow, 'blocked' | 'refused' | 'queueTrend'>;

/** The pressure on a lock at `now`, its backend's clock; without the trend of its queue. */
export function lockPressure(
  facts: StatusFacts,
  baselines: LockBaselines,
  now: number,
): LockPressure {
  if (facts.waiters === 0 && !baselines.refusals) return {};
  const blocked = blockedCallers(facts, baselines, now);
  const refusals = shownRefusals(baselines.refusals, facts.holds, now);
  return {
    ...(blocked.callers > 0 ? { blocked } : {}),
    ...(refusals ? { refused: inBrief(refusals) } : {}),
  };
}

function inBrief({ all, owners, others }: RefusalCounts): RefusedAttempts {
  const { attempts, lastAt } = all;
  return { attempts, owners: owners.length, areMore: others !== null, lastAt };
}
