import type { RefusalCounts, RefusalSpan } from '../statistics/refusal-counts';

/** A caller that was refused is assumed to want the lock for this long. */
export const REFUSED_RECENTLY_MS = 60_000;

/**
 * The owners that were refused within the last 60 s and during this hold, each with the first such
 * refusal. All owners that are not counted by name count as one.
 */
export function* recentRefusals(
  refusals: RefusalCounts | null | undefined,
  hold: { grantedAt: number },
  now: number,
): Generator<RefusalSpan> {
  if (!refusals || !isRecent(refusals.all, hold, now)) return;
  const { owners, others } = refusals;
  for (const span of others ? [...owners, others] : owners) {
    if (!isRecent(span, hold, now)) continue;
    yield { ...span, firstAt: Math.max(span.firstAt, hold.grantedAt) };
  }
}

/**
 * Since when callers have been refused during this hold; null if none was within the last 60 s.
 */
export function refusedSince(
  refusals: RefusalCounts | null | undefined,
  hold: { grantedAt: number },
  now: number,
): number | null {
  if (!refusals || !isRecent(refusals.all, hold, now)) return null;
  return Math.max(refusals.all.firstAt, hold.grantedAt);
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
