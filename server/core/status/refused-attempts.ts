import type { Hold, Waiter } from '../lock/lock-record';
import type { RefusalCounts, RefusalSpan, RefusedOwner } from '../statistics/refusal-counts';

/** A caller that was refused is assumed to want the lock for this long. */
export const REFUSED_RECENTLY_MS = 60_000;

/** The holders of a lock, and its waiters; absent: there are none, or they are not known. */
export interface Parties {
  holds: readonly (Pick<Hold, 'grantedAt' | 'expiresAt'> &
    Partial<Pick<Hold, 'service' | 'owner'>>)[];
  queue?: readonly Pick<Waiter, 'service' | 'owner'>[];
}

/**
 * The owners that were refused within the last 60 s and during this hold, each with the first such
 * refusal, except those that wait or were granted the lock since. All owners that are not counted
 * by name count as one.
 */
export function* recentRefusals(
  refusals: RefusalCounts | null | undefined,
  hold: { grantedAt: number },
  parties: Parties,
  now: number,
): Generator<RefusalSpan> {
  if (!refusals || !isRecent(refusals.all, hold, now)) return;
  const { owners, others } = refusals;
  for (const span of owners) {
    if (isRecent(span, hold, now) && !isServed(span, parties, now)) yield during(span, hold);
  }
  if (others && isRecent(others, hold, now)) yield during(others, hold);
}

/**
 * Since when callers have been refused during this hold; null if there are no `recentRefusals`.
 */
export function refusedSince(
  refusals: RefusalCounts | null | undefined,
  hold: { grantedAt: number },
  parties: Parties,
  now: number,
): number | null {
  if (!refusals || recentRefusals(refusals, hold, parties, now).next().done) return null;
  return Math.max(refusals.all.firstAt, hold.grantedAt);
}

const during = (span: RefusalSpan, { grantedAt }: { grantedAt: number }): RefusalSpan => ({
  ...span,
  firstAt: Math.max(span.firstAt, grantedAt),
});

/** Whether a refused owner waits now, or holds the lock since after its last refusal. */
function isServed(
  { service, owner, lastAt }: RefusedOwner,
  { holds, queue = [] }: Parties,
  now: number,
): boolean {
  const isOwn = (party: { service?: string; owner?: string }) =>
    party.owner === owner && party.service === service;
  return (
    queue.some(isOwn) ||
    holds.some((hold) => isOwn(hold) && hold.grantedAt >= lastAt && hold.expiresAt > now)
  );
}

/**
 * The refusals if the last one was during a present hold or within the last 60 s; otherwise null.
 */
export function shownRefusals(
  refusals: RefusalCounts | null | undefined,
  holds: readonly { grantedAt: number; expiresAt: number }[],
  now: number,
): RefusalCounts | null {
  if (!refusals) return null;
  const { lastAt } = refusals.all;
  const isDuringHold = holds.some(
    ({ grantedAt, expiresAt }) => expiresAt > now && lastAt >= grantedAt,
  );
  return isDuringHold || now - lastAt <= REFUSED_RECENTLY_MS ? refusals : null;
}

function isRecent(
  { lastAt }: RefusalSpan,
  { grantedAt }: { grantedAt: number },
  now: number,
): boolean {
  return lastAt >= grantedAt && now - lastAt <= REFUSED_RECENTLY_MS;
}
