import { LockyardError, type Reason } from '../../contract/errors';
import { pause } from './engine-rig';

/** The refusals that a caller may get while a store does not respond. */
const TRANSIENT: ReadonlySet<Reason> = new Set(['BACKEND_DOWN', 'UNKNOWN', 'CONTENDED']);

const PATIENCE_MS = 20_000;
const AGAIN_AFTER_MS = 50;

export const isPassing = (error: unknown): boolean =>
  error instanceof LockyardError && TRANSIENT.has(error.reason);

/**
 * Repeats a call until it is answered: a store that a test keeps busy may not respond for a moment.
 * Only for calls that may be made twice.
 */
export async function insist<T>(call: () => Promise<T>): Promise<T> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isPassing(error) || performance.now() >= giveUpAt) throw error;
    }
    await pause(AGAIN_AFTER_MS);
  }
}
