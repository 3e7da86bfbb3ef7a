import { LockyardError } from '../errors';
import type { Chance } from '../platform/chance';
import { type ClientClock, pause } from '../platform/client-clock';

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 1_000;

/**
 * How long to wait before try number `attempt` + 1 (from 0): spread at random, so that many clients
 * do not come back together. At most 1 s, which a place in a queue survives, unless the server asks
 * for more.
 */
export function retryDelayMs(chance: Chance, attempt: number, retryAfterMs = 0): number {
  const ceilingMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt);
  return Math.max(retryAfterMs, ceilingMs * (0.5 + chance.fraction() / 2));
}

/** Within which bounds a call is tried again. */
export interface RetryBounds {
  clock: ClientClock;
  chance: Chance;
  /** No new try begins at or after this instant of the clock, which may depend on the failure. */
  until: number | ((error: LockyardError) => number);
  /** Ends the pauses between tries as well. */
  signal?: AbortSignal | undefined;
}

/** Tries until there is an answer, a refusal that will not change, or the bounds are over. */
export async function retrying<A>(bounds: RetryBounds, call: () => Promise<A>): Promise<A> {
  const { clock, chance, until, signal } = bounds;
  for (let attempt = 0; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof LockyardError) || !error.isTransient) throw error;
      const delayMs = retryDelayMs(chance, attempt, error.retryAfterMs);
      const end = typeof until === 'number' ? until : until(error);
      if (clock.monotonic() + delayMs >= end) throw error;
      await pause(clock, delayMs, signal);
    }
  }
}
