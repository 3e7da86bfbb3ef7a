import type { Held } from '../../contract/lock/answers';
import type { Draft } from '../decision';
import type { RequestIdentity } from '../request-fingerprint';
import { holderViews } from './inspect-record';

export const RETRY_AFTER_MIN_MS = 50;
const RETRY_AFTER_MAX_MS = 5_000;

/** The answer to an acquire that got nothing: who holds the lock, and when to retry. */
export function heldAnswer(draft: Draft, outcome: Held['outcome']): Held {
  const { record, now } = draft;
  return {
    outcome,
    holders: holderViews(record, now),
    queueLength: record.queue.length,
    retryAfterMs: retryAfterMs(draft),
  };
}

/** The end of a wait; a repeated request gets the same answer. */
export function timedOut(draft: Draft, request: RequestIdentity): Held {
  const answer = heldAnswer(draft, 'timeout');
  draft.remember(request, answer, draft.now);
  return answer;
}

/** A hint: when the last lease ends if not renewed, or when the lock-delay ends, within limits. */
export function retryAfterMs(draft: Draft): number {
  const { holds, delayedUntil } = draft.record;
  const ends = [...holds.map((hold) => hold.expiresAt), delayedUntil];
  const leftMs = Math.max(...ends) - draft.now;
  return Math.min(Math.max(leftMs, RETRY_AFTER_MIN_MS), RETRY_AFTER_MAX_MS);
}
