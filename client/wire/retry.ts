import { isRetryable, LockyardError } from '../errors';
import type { Chance } from '../platform/chance';
import { type ClientClock, pause } from '../platform/client-clock';

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 1_000;

/**
 * The delay after failed attempt number `attempt` (from 0), in milliseconds: random, so that many
 * clients do not retry together. At most 1 s, which a queue position survives, unless the server
 * asks for more.
 */
export function retryDelayMs(chance: Chance, attempt: number, retryAfterMs = 0): number {
  const ceilingMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt);
  return Math.max(retryAfterMs, ceilingMs * (0.5 + chance.fraction() / 2));
}

/** The limits within which a call is retried. */
export interface RetryBounds {
  clock: ClientClock;
  chance: Chance;
  /** No attempt starts at or after this instant of the clock, which may depend on the failure. */
  until: number | ((error: LockyardError) => number);
  /** Which failures are worth a retry. Default: transient ones. */
  mayPass?: (error: LockyardError) => boolean;
  /** Also ends the pauses between attempts. */
  signal?: AbortSignal | undefined;
}

/** Retries until there is an answer, a failure that may not pass, or a limit is reached. */
export async function retrying<A>(bounds: RetryBounds, call: () => Promise<A>): Promise<A> {
  const { clock, chance, until, signal, mayPass = ({ isTransient }) => isTransient } = bounds;
  for (let attempt = 0; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof LockyardError) || !mayPass(error)) throw error;
      const delayMs = retryDelayMs(chance, attempt, error.retryAfterMs);
      const end = typeof until === 'number' ? until : until(error);
      if (clock.monotonic() + delayMs >= end) throw error;
      await pause(clock, delayMs, signal);
    }
  }
}

/**
 * Likewise for what Lockyard may have granted, to confirm, release or cancel it: also after an
 * answer of something else, and after a fault that may affect only one answer.
 */
export function retryingGranted<A>(
  bounds: Omit<RetryBounds, 'mayPass'>,
  call: () => Promise<A>,
): Promise<A> {
  return retrying({ ...bounds, mayPass: (error) => isRetryable(error, true) }, call);
}
