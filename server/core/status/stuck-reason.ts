import type { OwnHold } from '../../contract/console/insight-row';
import type { NamespacePolicy } from '../../contract/namespace-policy';
import type { Hold } from '../lock/lock-record';

/** Held for longer than this many times its own p99 is far beyond its history. */
const FAR_FACTOR = 5;

/** No history makes a lock stuck before this much time has passed; a limit that its namespace sets may. */
export const STUCK_MIN_MS = 30_000;

/** A p99 from fewer holds than these says nothing. */
export const HISTORY_MIN_COUNT = 20;

/** How much longer than allowed a wait may take before that is a fault: the time in which a dead process is noticed, and more. */
const WAIT_GRACE_MS = 5_000;

/** The part of a hold that `stuck` depends on. */
export type HoldForStuck = Pick<
  Hold,
  'leaseMs' | 'grantedAt' | 'renewedAt' | 'renewals' | 'expiresAt' | 'askedToRelease'
>;

/** What a lock is measured by: its own past and its namespace. */
export interface LockNorms {
  /** Of its holds that ended; null while nothing is known of them. */
  ownHold: OwnHold | null;
  /** When a waiter's patience last ran out, as far as is known; 0 if never. */
  gaveUpAt: number;
  policy: Pick<NamespacePolicy, 'patienceMaxMs' | 'stuckAfterMs'>;
}

/** What is read of a lock itself. Instants are its backend's clock. */
export interface StuckFacts {
  holds: HoldForStuck[];
  waiters: number;
  /** When the longest waiter came; null if nobody waits. */
  oldestWaitAt: number | null;
}

/**
 * Why a lock is stuck. `limitMs` is what was passed, at the instant `since`.
 *
 * - `longHold`: held beyond the limit while somebody waits.
 * - `longWait`: somebody has waited longer than the namespace allows.
 * - `idleRenewals`: held beyond the limit by renewals that go on and on while nobody waits any more, though the lock was
 *   wanted: a waiter `gaveUp` during this very hold, or the holder was `asked` to let go, has heard of it at a renewal,
 *   and goes on 30 s later.
 */
export type StuckReason =
  | ({ kind: 'longHold'; since: number } & HoldLimit)
  | { kind: 'longWait'; since: number; limitMs: number }
  | ({ kind: 'idleRenewals'; since: number; wish: 'gaveUp' | 'asked' } & HoldLimit);

/** How long a hold may last. `p99Ms` null: the limit is the namespace's own, else it is five times this p99. */
interface HoldLimit {
  limitMs: number;
  p99Ms: number | null;
}

/**
 * Why a lock is stuck at `now`; null if it is not. Never for its age alone: besides the time that passed it takes
 * somebody who wants the lock, now or during this hold. A hold whose lease is over is not held.
 *
 * The third reason is our reading of "a watchdog that outlived its work": that the token stands still is true of every
 * long hold, and that renewals come is what they are for. Only that somebody wanted the lock meanwhile, and in vain,
 * makes it a fault.
 */
export function stuckReason(facts: StuckFacts, norms: LockNorms, now: number): StuckReason | null {
  const longest = longestHold(facts.holds, now);
  const limit = holdLimit(norms);
  if (longest && limit && now - longest.grantedAt > limit.limitMs) {
    const beyondAt = longest.grantedAt + limit.limitMs;
    if (facts.waiters > 0) {
      const since = Math.max(beyondAt, facts.oldestWaitAt ?? beyondAt);
      return { kind: 'longHold', since, ...limit };
    }
    const wish = vainWish(longest, norms, now);
    if (wish)
      return {
        kind: 'idleRenewals',
        since: Math.max(beyondAt, wish.at),
        wish: wish.kind,
        ...limit,
      };
  }
  if (facts.oldestWaitAt === null) return null;
  const limitMs = waitLimitMs(norms);
  if (now - facts.oldestWaitAt <= limitMs) return null;
  return {
    kind: 'longWait',
    since: facts.oldestWaitAt + limitMs,
    limitMs: norms.policy.patienceMaxMs,
  };
}

/** How long a hold of this lock may last before it can be stuck; `Infinity` where nothing says. */
export function holdLimitMs(norms: LockNorms): number {
  return holdLimit(norms)?.limitMs ?? Number.POSITIVE_INFINITY;
}

/** How long somebody may wait for this lock before it is stuck. */
export function waitLimitMs({ policy }: LockNorms): number {
  return Math.max(STUCK_MIN_MS, policy.patienceMaxMs + WAIT_GRACE_MS);
}

/** The smaller of what the lock's own history and its namespace say; null where neither says anything. */
function holdLimit({ ownHold, policy }: LockNorms): HoldLimit | null {
  const fixed = policy.stuckAfterMs > 0 ? { limitMs: policy.stuckAfterMs, p99Ms: null } : null;
  if (!ownHold || ownHold.count < HISTORY_MIN_COUNT) return fixed;
  const limitMs = Math.max(STUCK_MIN_MS, FAR_FACTOR * ownHold.p99Ms);
  return fixed && fixed.limitMs < limitMs ? fixed : { limitMs, p99Ms: ownHold.p99Ms };
}

function longestHold(holds: HoldForStuck[], now: number): HoldForStuck | null {
  const live = holds.filter(({ expiresAt }) => expiresAt > now);
  return live.reduce<HoldForStuck | null>(
    (longest, hold) => (longest && longest.grantedAt <= hold.grantedAt ? longest : hold),
    null,
  );
}

function vainWish(
  { grantedAt, renewals, renewedAt, askedToRelease }: HoldForStuck,
  { gaveUpAt }: LockNorms,
  now: number,
): { kind: 'gaveUp' | 'asked'; at: number } | null {
  if (renewals === 0) return null;
  if (gaveUpAt > grantedAt) return { kind: 'gaveUp', at: gaveUpAt };
  if (!askedToRelease || renewedAt <= askedToRelease.at) return null;
  const at = askedToRelease.at + STUCK_MIN_MS;
  return now > at ? { kind: 'asked', at } : null;
}
