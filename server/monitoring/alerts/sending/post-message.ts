import { abortedAfter } from '../../../platform/time-limit';

/** How long an attempt may take. */
export const ANSWER_WITHIN_MS = 10_000;

export interface PostedMessage {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** The outcome of an attempt: accepted, or why not. */
export type PostOutcome = { isAccepted: true } | { isAccepted: false; why: string };

/**
 * Sends a message, which is accepted if the response is 2xx. Follows no redirect, waits for at most
 * `withinMs`, and reads only the status of the response. Never rejects.
 *
 * @param signal aborts the attempt, for example when this process shuts down
 */
export async function postMessage(
  { url, headers, body }: PostedMessage,
  signal: AbortSignal,
  withinMs = ANSWER_WITHIN_MS,
): Promise<PostOutcome> {
  try {
    const status = await abortedAfter(withinMs, signal, async (ended) => {
      const response = await fetch(url, {
        method: 'POST',
        redirect: 'manual',
        signal: ended,
        headers: { 'content-type': 'application/json', 'user-agent': 'Lockyard', ...headers },
        body,
      });
      // The body could be endless.
      await response.body?.cancel();
      return response.status;
    });
    if (status >= 200 && status <= 299) return { isAccepted: true };
    const isRedirect = status >= 300 && status <= 399;
    return refused(
      `It answered with status ${status}${isRedirect ? ', which is not followed' : ''}.`,
    );
  } catch (error) {
    const isLate = (error as Error).name === 'TimeoutError';
    if (isLate) return refused(`It did not answer within ${withinMs / 1_000} s.`);
    return refused(signal.aborted ? 'The attempt was ended.' : 'It cannot be reached.');
  }
}

const refused = (why: string): PostOutcome => ({ isAccepted: false, why });
