import { LockTimeout, LockyardError } from '../errors';

/** One wait of the service takes at most 10 minutes; an endless one is restarted earlier. */
const PART_MS = 9 * 60_000;

/**
 * Waits once, with the whole patience; or, if it is infinite, again and again until something is
 * granted: each part begins at the end of the queue. Failures that may pass are waited out then;
 * refusals and the caller's own signal still reject.
 */
export async function waitInParts<G>(
  waitMs: number,
  signal: AbortSignal | undefined,
  wait: (partMs: number) => Promise<G>,
): Promise<G> {
  if (waitMs !== Number.POSITIVE_INFINITY) return wait(waitMs);
  for (;;) {
    try {
      return await wait(PART_MS);
    } catch (error) {
      signal?.throwIfAborted();
      if (!mayPass(error)) throw error;
    }
  }
}

function mayPass(error: unknown): boolean {
  if (error instanceof LockTimeout) return true;
  // `UNKNOWN` is final where the same id may not be sent again; the next part has another id.
  return error instanceof LockyardError && (error.isTransient || error.reason === 'UNKNOWN');
}
