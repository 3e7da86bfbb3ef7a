import type { Change, SwapResult } from './record-store';

/** The result of a swap for a change that it has applied, with the commit's id if it is known. */
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
