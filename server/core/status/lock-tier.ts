import type { LockStatus } from '../../contract/console/console-terms';
import type { StatusFacts } from './lock-status';
import { HISTORY_MIN_COUNT, type LockBaselines } from './stuck-reason';

/** How urgently a lock needs a person: the first criterion of the order by severity. */
export const TIERS = ['actNow', 'unknown', 'watch', 'normal'] as const;
export type LockTier = (typeof TIERS)[number];

/**
 * The tier of a lock with this status at `now`, the backend's clock. A lock with waiters is worth
 * watching once it is held for longer than its own p99.
 */
export function lockTier(
  status: LockStatus,
  facts: StatusFacts,
  baselines: LockBaselines,
  now: number,
): LockTier {
  if (status === 'stuck' || status === 'expired') return 'actNow';
  if (status === 'unknown') return 'unknown';
  if (status === 'expiring') return 'watch';
  if (status === 'frozen') return facts.waiters > 0 ? 'watch' : 'normal';
  if (status !== 'contended') return 'normal';
  const p99Ms = knownP99(baselines);
  const isLong = facts.holds.some(
    ({ grantedAt, expiresAt }) => expiresAt > now && now - grantedAt > p99Ms,
  );
  return isLong ? 'watch' : 'normal';
}

/** Infinite while too few holds have ended for a baseline. */
export function knownP99({ ownHold }: LockBaselines): number {
  const isKnown = ownHold !== null && ownHold.count >= HISTORY_MIN_COUNT;
  return isKnown ? ownHold.p99Ms : Number.POSITIVE_INFINITY;
}
