import type { LockStatus } from '../../contract/console/console-terms';
import { type Hold, isReleased, type LockRecord, liveHolds } from '../lock/lock-record';
import { oldestWaitAt } from '../lock/queue';
import { HOUR_MS } from '../time-units';
import type { BlockingFacts } from './blocking-time';
import type { OrphanReason } from './holder-liveness';
import { refusedSince } from './refused-attempts';
import { isStandbyExpected } from './standby-expected';
import {
  HISTORY_MIN_COUNT,
  type HoldForStuck,
  type LockBaselines,
  longestHold,
  stuckReason,
} from './stuck-reason';

/** A lease is short when less than this share of it is left. */
export const SHORT_SHARE = 0.2;

/** Holders renew at a third of the lease; a renewal is late when half has passed without one. */
export const LATE_SHARE = 0.5;

/** How long a lock whose last hold expired is shown as `expired`. */
export const EXPIRED_SHOWN_MS = HOUR_MS;

/** The facts that decide a status. `holds` are those without a recorded end, expired or not. */
export interface StatusFacts extends BlockingFacts {
  /** The end of the last hold if it expired; null if it ended otherwise, or if `holds` has any. */
  lastExpiredAt: number | null;
  isFrozen: boolean;
  delayedUntil: number;
  /** Set if a holder's process is proven dead; see `orphanReason`. */
  orphaned?: OrphanReason | null;
}

/**
 * The status at `now`, the backend's clock. `reachable` false: the backend does not respond, so the
 * status is unknown, never free. A free lock with waiters is about to be handed off: `contended`.
 * A freeze and a lock-delay are intended, so waiting for their end does not make a lock `stuck`.
 * `orphaned` takes precedence over `stuck`, since a dead holder is its cause.
 */
export function lockStatus(
  facts: StatusFacts,
  baselines: LockBaselines,
  now: number,
  reachable: boolean,
): LockStatus {
  if (!reachable) return 'unknown';
  if (facts.isFrozen) return 'frozen';
  const { waiters, delayedUntil } = facts;
  const live = facts.holds.filter(({ expiresAt }) => expiresAt > now);
  if (live.length === 0 && delayedUntil > now) return 'delayed';
  if (facts.orphaned && live.length > 0) return 'orphaned';
  if (stuckReason(facts, baselines, now)) return 'stuck';
  if (live.length > 0) {
    if (live.some((hold) => isExpiring(hold, now))) return 'expiring';
    return waiters > 0 ? 'contended' : 'held';
  }
  const unreleased = facts.holds.filter((hold) => !isReleased(hold));
  const ends = unreleased.map(({ expiresAt }) => expiresAt);
  const expiredAt = Math.max(facts.lastExpiredAt ?? 0, ...ends);
  if (now - expiredAt < EXPIRED_SHOWN_MS) return 'expired';
  return waiters > 0 ? 'contended' : 'free';
}

function isExpiring(hold: HoldForStuck, now: number): boolean {
  return now > expiringAfter(hold);
}

/** The instant after which the lease is short and the renewal late; `Infinity`: never. */
export function expiringAfter(hold: HoldForStuck): number {
  const { leaseMs, renewedAt, renewals, expiresAt } = hold;
  if (renewals === 0 || isReleased(hold)) return Number.POSITIVE_INFINITY;
  return Math.max(expiresAt - leaseMs * SHORT_SHARE, renewedAt + leaseMs * LATE_SHARE);
}

/** The facts of a lock as its record has them. It does not show whether a holder is dead. */
export function statusFacts(record: LockRecord): StatusFacts {
  const { holds, ended, queue, frozen, delayedUntil } = record;
  const hasExpired = holds.length === 0 && ended?.cause === 'expired';
  return {
    holds,
    waiters: queue.length,
    queue,
    oldestWaitAt: oldestWaitAt(queue),
    waitsSinceSum: queue.reduce((sum, { enqueuedAt }) => sum + enqueuedAt, 0),
    lastExpiredAt: hasExpired ? ended.at : null,
    isFrozen: frozen !== null,
    delayedUntil,
  };
}

/**
 * The hold that represents the lock in a list: the one that expires last, of those that have not
 * been released if there are any.
 */
export function leadingHold(record: LockRecord, now: number): Hold | null {
  if (record.holds.length <= 1) return record.holds[0] ?? null;
  const live = liveHolds(record, now);
  const holds = live.length > 0 ? live : record.holds;
  const owned = holds.filter((hold) => !isReleased(hold));
  return (owned.length > 0 ? owned : holds).reduce<Hold | null>(
    (last, hold) => (last && last.expiresAt >= hold.expiresAt ? last : hold),
    null,
  );
}

/** How urgently a lock needs a person: the first criterion when locks are sorted by severity. */
export const TIERS = ['actNow', 'unknown', 'watch', 'normal'] as const;
export type LockTier = (typeof TIERS)[number];

/** The tiers of locks that need attention. */
export type AttentionTier = Exclude<LockTier, 'normal'>;

/**
 * The tier of a lock with this status at `now`, the backend's clock. A lock for which other callers
 * wait, or were refused within the last 60 s, is in `watch` once it is held for longer than its own
 * p99; not where standbys are expected.
 */
export function lockTier(
  status: LockStatus,
  facts: StatusFacts,
  baselines: LockBaselines,
  now: number,
): LockTier {
  if (status === 'stuck' || status === 'orphaned' || status === 'expired') return 'actNow';
  if (status === 'unknown') return 'unknown';
  if (status === 'expiring') return 'watch';
  if (isStandbyExpected(facts, baselines)) return 'normal';
  if (status === 'frozen') return facts.waiters > 0 ? 'watch' : 'normal';
  if (status !== 'contended' && status !== 'held') return 'normal';
  const longest = longestHold(facts.holds, now);
  if (!longest || now - longest.grantedAt <= knownP99(baselines)) return 'normal';
  const isWanted =
    facts.waiters > 0 || refusedSince(baselines.refusals, longest, facts, now) !== null;
  return isWanted ? 'watch' : 'normal';
}

/** The lock's own p99 in milliseconds; infinite while too few holds have ended for a baseline. */
export function knownP99({ ownHold }: LockBaselines): number {
  const isKnown = ownHold !== null && ownHold.count >= HISTORY_MIN_COUNT;
  return isKnown ? ownHold.p99Ms : Number.POSITIVE_INFINITY;
}
