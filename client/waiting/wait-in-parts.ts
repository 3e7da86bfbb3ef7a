import { LockTimeout, LockyardError } from '../errors';
import { type ClientClock, pause } from '../platform/client-clock';

/** The server limits a wait to 10 minutes; an endless one is split into shorter parts. */
export const PART_MS = 9 * 60_000;

/** Shorter parts would be little more than polling. */
const SHORTEST_PART_MS = 1_000;

/**
 * Waits once for `waitMs`; or, if that is infinite, in parts until there is a grant: each part
 * starts at the end of the queue, and is no longer than the namespace allows. An infinite wait
 * outlasts failures that may pass, and then pauses as long as the server says; refusals and the
 * caller's own signal still reject.
 */
export async function waitInParts<G>(
  clock: ClientClock,
  waitMs: number,
  signal: AbortSignal | undefined,
  wait: (partMs: number) => Promise<G>,
): Promise<G> {
  if (waitMs !== Number.POSITIVE_INFINITY) return wait(waitMs);
  for (let partMs = PART_MS; ; ) {
    try {
      return await wait(partMs);
    } catch (error) {
      signal?.throwIfAborted();
      const shorterMs = shorterPart(error, partMs);
      if (shorterMs === null && !mayPass(error)) throw error;
      partMs = shorterMs ?? partMs;
      // A part may be shorter than this, and would otherwise be asked for again at once.
      const retryAfterMs = error instanceof LockyardError ? error.retryAfterMs : undefined;
      if (retryAfterMs !== undefined) await pause(clock, retryAfterMs, signal);
    }
  }
}

/** The limit for a part if one was refused as too long; null for any other error or limit. */
export function shorterPart(error: unknown, partMs: number): number | null {
  const waitMaxMs = error instanceof LockyardError ? error.waitMaxMs : undefined;
  if (waitMaxMs === undefined || waitMaxMs < SHORTEST_PART_MS) return null;
  return waitMaxMs < partMs ? waitMaxMs : null;
}

function mayPass(error: unknown): boolean {
  if (error instanceof LockTimeout) return true;
  // `UNKNOWN` is final where the same id may not be sent again; the next part has another id.
  return error instanceof LockyardError && (error.isTransient || error.reason === 'UNKNOWN');
}
