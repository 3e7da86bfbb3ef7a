import { STORE_RETRY_MS } from '../../core/timing';

/**
 * Whether a failed call of the store can be repeated for a command.
 *
 * @param dueAt when the command's budget ends
 * @param now on the same monotonic clock
 */
export const hasTimeToRetry = (dueAt: number, now: number): boolean => now + STORE_RETRY_MS < dueAt;
