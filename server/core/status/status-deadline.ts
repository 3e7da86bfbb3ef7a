import {
  EXPIRED_SHOWN_MS,
  knownP99,
  LATE_SHARE,
  SHORT_SHARE,
  type StatusFacts,
} from './lock-status';
import { REFUSED_RECENTLY_MS } from './refused-attempts';
import { holdLimitMs, type LockBaselines, STUCK_MIN_MS, waitLimitMs } from './stuck-reason';

/**
 * The first instant after `now` at which a lock's status, its tier, the reason it is stuck or the
 * callers that it blocks can change without a write and with the same baselines; `Infinity` if they
 * cannot. They do not have to change then. Instants are whole milliseconds of the backend's clock.
 */
export function statusDeadline(facts: StatusFacts, baselines: LockBaselines, now: number): number {
  let first = Number.POSITIVE_INFINITY;
  const consider = (at: number) => {
    if (at > now && at < first) first = at;
  };
  /** For a condition that is true only after an instant: one millisecond later. */
  const considerAfter = (at: number) => consider(Math.floor(at) + 1);
  const limitMs = holdLimitMs(baselines);
  const p99Ms = knownP99(baselines);
  consider(facts.delayedUntil);
  const { owners = [], others = null } = baselines.refusals ?? {};
  for (const { lastAt } of others ? [...owners, others] : owners) {
    considerAfter(lastAt + REFUSED_RECENTLY_MS);
  }
  if (facts.oldestWaitAt !== null) considerAfter(facts.oldestWaitAt + waitLimitMs(baselines));
  if (facts.lastExpiredAt !== null) consider(facts.lastExpiredAt + EXPIRED_SHOWN_MS);
  for (const { leaseMs, grantedAt, renewedAt, expiresAt, askedToRelease } of facts.holds) {
    consider(expiresAt);
    consider(expiresAt + EXPIRED_SHOWN_MS);
    considerAfter(expiresAt - leaseMs * SHORT_SHARE);
    considerAfter(renewedAt + leaseMs * LATE_SHARE);
    considerAfter(grantedAt + limitMs);
    considerAfter(grantedAt + p99Ms);
    if (askedToRelease) considerAfter(askedToRelease.at + STUCK_MIN_MS);
  }
  return first;
}
