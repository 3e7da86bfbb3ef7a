import type { HoldBaseline } from '../../contract/console/insight-row';
import type { NamespacePolicy } from '../../contract/namespace-policy';
import { type Hold, isReleased } from '../lock/lock-record';
import type { RefusalCounts } from '../statistics/refusal-counts';
import type { WitnessReport } from './holder-liveness';
import { type Parties, refusedSince } from './refused-attempts';
import { isStandbyExpected } from './standby-expected';

/** A hold is far beyond its baseline when it lasts this many times the lock's own p99. */
const FAR_FACTOR = 5;

/** No baseline makes a lock stuck before this much time has passed; a namespace limit can. */
export const STUCK_MIN_MS = 30_000;

/** A p99 from fewer holds than these is not meaningful. */
export const HISTORY_MIN_COUNT = 20;

/** The longest excusable delay of a wait: the time to notice a dead process, plus a margin. */
const WAIT_GRACE_MS = 5_000;

/** The part of a hold that `stuck` depends on. */
export type HoldForStuck = Pick<
  Hold,
  | 'leaseMs'
  | 'grantedAt'
  | 'renewedAt'
  | 'renewals'
  | 'rev'
  | 'expiresAt'
  | 'askedToRelease'
  | 'releasedAt'
> &
  Partial<Pick<Hold, 'service' | 'owner' | 'meta'>>;

/** A waiter that timed out: when, by the clock of the backend, and the rev of that change. */
export interface GaveUp {
  at: number;
  rev: number;
}

/** What a lock is compared with: its history, its namespace, and the reports of witnesses. */
export interface LockBaselines {
  /** The baseline from its past holds; null while none are known. */
  ownHold: HoldBaseline | null;
  /** The last waiter that timed out; null: none is known. */
  gaveUp: GaveUp | null;
  /** Refused attempts at all processes, as far as is known; null or absent: none. */
  refusals?: RefusalCounts | null;
  policy: Pick<NamespacePolicy, 'patienceMaxMs' | 'stuckAfterMs' | 'standbyExpected'>;
  /** What witnesses report on the process of a hold; absent while none has reported anything. */
  reportsOn?: (hold: Hold) => readonly WitnessReport[];
}

/** The facts that come from the lock itself. Instants are its backend's clock. */
export interface StuckFacts extends Parties {
  holds: HoldForStuck[];
  waiters: number;
  /** The start of the longest wait; null if there are no waiters. */
  oldestWaitAt: number | null;
}

/**
 * Why a lock is stuck. `limitMs` is the limit that its hold exceeded at the instant `since`; for
 * `longWait` it is the longest wait that the namespace allows, and `since` is the end of that wait
 * plus a margin: see `waitLimitMs`.
 *
 * - `longHold`: held beyond the limit while there are waiters.
 * - `refusals`: held beyond the limit without waiters, but an owner that has not been granted it
 *   since was refused within the last 60 s, during this hold.
 * - `longWait`: a waiter has waited longer than the namespace allows.
 * - `idleRenewals`: still renewed beyond the limit with no waiters left, although another caller
 *   wanted the lock: a waiter `gaveUp` during this hold, or the holder was `asked` to release, got
 *   the message with a renewal, and still renews 30 s later.
 */
export type StuckReason =
  | ({ kind: 'longHold'; since: number } & HoldLimit)
  | ({ kind: 'refusals'; since: number } & HoldLimit)
  | { kind: 'longWait'; since: number; limitMs: number }
  | ({ kind: 'idleRenewals'; since: number; wish: 'gaveUp' | 'asked' } & HoldLimit);

/** How long a hold may last: five times `p99Ms`; null: the namespace sets the limit. */
interface HoldLimit {
  limitMs: number;
  p99Ms: number | null;
}

/**
 * Why a lock is stuck at `now`; null if it is not. Age alone is never enough: another caller must
 * want the lock, now or during this hold. A hold that has expired does not count, nor one that was
 * released and only keeps the lock taken. Where standbys are expected, a caller that waits, gives
 * up or is refused is normal.
 *
 * `idleRenewals` detects a watchdog that outlived its work. Every long hold has an unchanged token,
 * and renewals are normal: they are a fault only if another caller wanted the lock in vain.
 */
export function stuckReason(
  facts: StuckFacts,
  baselines: LockBaselines,
  now: number,
): StuckReason | null {
  const longest = longestHold(facts.holds, now);
  const limit = holdLimit(baselines);
  if (longest && limit && now - longest.grantedAt > limit.limitMs) {
    const beyondAt = longest.grantedAt + limit.limitMs;
    const isWaitNormal = isStandbyExpected(facts, baselines);
    if (facts.waiters > 0 && !isWaitNormal) {
      const since = Math.max(beyondAt, facts.oldestWaitAt ?? beyondAt);
      return { kind: 'longHold', since, ...limit };
    }
    const refusedAt = isWaitNormal ? null : refusedSince(baselines.refusals, longest, facts, now);
    if (refusedAt !== null) {
      return { kind: 'refusals', since: Math.max(beyondAt, refusedAt), ...limit };
    }
    const gaveUp = isWaitNormal ? null : baselines.gaveUp;
    const wish = unmetWish(longest, gaveUp, now);
    if (wish)
      return {
        kind: 'idleRenewals',
        since: Math.max(beyondAt, wish.at),
        wish: wish.kind,
        ...limit,
      };
  }
  if (facts.oldestWaitAt === null) return null;
  const limitMs = waitLimitMs(baselines);
  if (now - facts.oldestWaitAt <= limitMs) return null;
  return {
    kind: 'longWait',
    since: facts.oldestWaitAt + limitMs,
    limitMs: baselines.policy.patienceMaxMs,
  };
}

/** How long a hold may last before the lock can be stuck; `Infinity`: no limit. */
export function holdLimitMs(baselines: LockBaselines): number {
  return holdLimit(baselines)?.limitMs ?? Number.POSITIVE_INFINITY;
}

/** How long a waiter may wait before the lock is stuck. */
export function waitLimitMs({ policy }: LockBaselines): number {
  return Math.max(STUCK_MIN_MS, policy.patienceMaxMs + WAIT_GRACE_MS);
}

/** The smaller of the lock's own limit and its namespace's; null if there is neither. */
function holdLimit({ ownHold, policy }: LockBaselines): HoldLimit | null {
  const fixed = policy.stuckAfterMs > 0 ? { limitMs: policy.stuckAfterMs, p99Ms: null } : null;
  if (!ownHold || ownHold.count < HISTORY_MIN_COUNT) return fixed;
  const limitMs = Math.max(STUCK_MIN_MS, FAR_FACTOR * ownHold.p99Ms);
  return fixed && fixed.limitMs < limitMs ? fixed : { limitMs, p99Ms: ownHold.p99Ms };
}

/** The live hold that was granted first and has not been released; null: there is none. */
export function longestHold<H extends HoldForStuck>(holds: readonly H[], now: number): H | null {
  const live = holds.filter((hold) => hold.expiresAt > now && !isReleased(hold));
  return live.reduce<H | null>(
    (longest, hold) => (longest && longest.grantedAt <= hold.grantedAt ? longest : hold),
    null,
  );
}

/** The unmet wish for a lock whose holder keeps renewing: see `idleRenewals`. */
function unmetWish(
  { rev, renewals, renewedAt, askedToRelease }: HoldForStuck,
  gaveUp: GaveUp | null,
  now: number,
): { kind: 'gaveUp' | 'asked'; at: number } | null {
  if (renewals === 0) return null;
  // By revs: the clock may have been set since the grant.
  if (gaveUp && gaveUp.rev > rev) return { kind: 'gaveUp', at: Math.min(gaveUp.at, now) };
  if (!askedToRelease || renewedAt <= askedToRelease.at) return null;
  const at = askedToRelease.at + STUCK_MIN_MS;
  return now > at ? { kind: 'asked', at } : null;
}
