import type { Reason } from '@/server/contract/errors';
import { visibleText } from '@/server/core/format/visible-text';

/** A failed call, as it is shown to people. */
export interface Problem {
  /** `OFFLINE`: no answer came at all. */
  reason: Reason | 'OFFLINE';
  text: string;
  requestId: string | null;
  retryAfterMs: number | null;
}

/** No answer came, or none so far. */
export const NO_ANSWER: Problem = {
  reason: 'OFFLINE',
  text: 'Server not responding.',
  requestId: null,
  retryAfterMs: null,
};

const NOT_APPLIED = 'Not applied.';

interface ErrorData {
  reason?: Reason;
  requestId?: string;
  retryAfterMs?: number;
}

function errorData(error: unknown): ErrorData | null {
  if (typeof error !== 'object' || error === null || !('data' in error)) return null;
  return typeof error.data === 'object' ? error.data : null;
}

/**
 * The title of the problem of a read.
 *
 * @param shown older data that is shown nevertheless; undefined or null: nothing
 */
export const readFailureTitle = (shown: unknown, what: string): string =>
  shown ? 'Showing last known data' : `Could not load ${what}`;

/**
 * What went wrong: the server's own message, or our own text if no answer came. The title of a
 * failed act says whether it was applied.
 *
 * @param before how the previous attempt at the same act failed. If the outcome of any attempt is
 *   unknown, so is that of the act, even if later attempts are refused
 */
export function problemOf(error: unknown, before: Problem | null = null): Problem {
  const data = errorData(error);
  if (!data?.reason) return NO_ANSWER;
  const { reason, requestId = null, retryAfterMs = null } = data;
  const message = error instanceof Error ? visibleText(error.message) : '';
  if (isOutcomeUnknown(before) && !isUnknown(reason)) {
    const text = `An earlier attempt may have been applied; the last was not. ${message}`.trim();
    return { reason: 'UNKNOWN', text, requestId, retryAfterMs };
  }
  return { reason, text: problemText(reason, message), requestId, retryAfterMs };
}

/** Whether a call that failed with this problem may have been applied; null: it did not fail. */
export function isOutcomeUnknown(problem: Problem | null): boolean {
  return problem !== null && isUnknown(problem.reason);
}

const isUnknown = (reason: Problem['reason']): boolean =>
  reason === 'UNKNOWN' || reason === 'INTERNAL' || reason === 'OFFLINE';

/** Whether a failed act was done. Repeated with its request id, it is done once at most. */
export function retryableFailureTitle(problem: Problem): string {
  return isOutcomeUnknown(problem)
    ? 'The result is unknown. Retry: it is safe, the action will not run twice.'
    : NOT_APPLIED;
}

/**
 * Whether a failed act without a request id was done: repeated, it might be done twice.
 *
 * @param isPartial parts of it were done before it failed
 */
export function failureTitleWithoutRetry(problem: Problem, isPartial = false): string {
  if (isOutcomeUnknown(problem)) {
    return 'The result is unknown. Check the current state before retrying.';
  }
  return isPartial ? 'Only partly applied.' : NOT_APPLIED;
}

/** What went wrong with an act that was partly done. */
export function problemOfRest(error: unknown): Problem {
  const problem = problemOf(error);
  const text = problem.text.replace('Nothing was changed.', 'Nothing more was changed.');
  return { ...problem, text };
}

function problemText(reason: Reason, message: string): string {
  if (reason === 'UNKNOWN') return `Outcome not known yet. ${message}`.trim();
  return message || 'The server rejected this request.';
}
