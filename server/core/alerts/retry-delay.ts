import { DAY_MS } from '../time-units';

const FIRST_MS = 1_000;
const LONGEST_MS = 5 * 60_000;

/** A message that was not accepted for this long is out of date: a new one replaces it. */
export const GIVE_UP_AFTER_MS = DAY_MS;

/**
 * The pause after a failed attempt, in milliseconds; doubles with each, up to 5 minutes.
 *
 * @param attempts the number of attempts before this one
 */
export const retryDelayMs = (attempts: number): number =>
  Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.min(attempts, 20));

/** Whether the next attempt may begin. A clock set back delays it by 10 minutes at most. */
export const mayAttempt = (nextAttemptAt: number, now: number): boolean =>
  nextAttemptAt <= now || nextAttemptAt - now > 2 * LONGEST_MS;
