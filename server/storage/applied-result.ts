import type { Change, SwapResult } from './record-store';

/** What a swap returns of a change that it has applied; the commit's id where it is known. */
export function appliedResult(
  { rev, writer }: Change,
  now: number,
  historyId: number | undefined,
): SwapResult {
  const current = { rev, writer };
  return historyId === undefined
    ? { applied: true, now, current }
    : { applied: true, now, current, historyId };
}
