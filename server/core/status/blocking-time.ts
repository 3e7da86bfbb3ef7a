import { recentRefusals } from './refused-attempts';
import { isStandbyExpected } from './standby-expected';
import { type LockBaselines, longestHold, type StuckFacts } from './stuck-reason';

/**
 * The callers that a lock blocks: their number, and the sum of the instants from which each has
 * been blocked. Together they give the total blocking time at any later instant.
 */
export interface BlockedCallers {
  callers: number;
  /** A sum of instants on the backend's clock, epoch milliseconds. */
  sinceSum: number;
}

/** The facts that come from the lock itself. */
export interface BlockingFacts extends StuckFacts {
  /** The sum of the instants at which its waiters began to wait. */
  waitsSinceSum: number;
}

const NOT_BLOCKED: BlockedCallers = { callers: 0, sinceSum: 0 };

/**
 * The waiters of a lock, and the owners that were refused within the last 60 s and neither wait nor
 * hold it now, each since its first refusal during the present hold. All owners that are not
 * counted by name count as one. Where standbys are expected, no caller counts as blocked.
 */
export function blockedCallers(
  facts: BlockingFacts,
  baselines: LockBaselines,
  now: number,
): BlockedCallers {
  if (facts.waiters === 0 && !baselines.refusals) return NOT_BLOCKED;
  if (isStandbyExpected(facts, baselines)) return NOT_BLOCKED;
  const blocked = { callers: facts.waiters, sinceSum: facts.waitsSinceSum };
  const hold = longestHold(facts.holds, now);
  const refused = hold ? recentRefusals(baselines.refusals, hold, facts, now) : [];
  for (const { firstAt } of refused) {
    blocked.callers += 1;
    blocked.sinceSum += firstAt;
  }
  return blocked;
}

/**
 * Total blocking time in milliseconds: the sum of the times for which callers have been blocked.
 *
 * @param now the clock of the instants in `sinceSum`
 */
export function totalBlockingMs({ callers, sinceSum }: BlockedCallers, now: number): number {
  return Math.max(0, callers * now - sinceSum);
}
