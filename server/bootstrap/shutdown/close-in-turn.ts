import { TimeLimit } from '../../platform/time-limit';

/**
 * Closes the parts of a process, the last opened first, each when the one before is closed. Never
 * rejects. Where one waits for what does not respond, others may too: once the time for all of them
 * is over, the rest is closed without waiting.
 *
 * @param ends how to close each part, in the order of opening
 * @param withinMs the time for all of them
 * @param onFailure takes the reason why a part did not close, or not in time
 */
export async function closeInTurn(
  ends: readonly (() => Promise<void>)[],
  withinMs: number,
  onFailure: (error: unknown) => void,
): Promise<void> {
  const limit = new TimeLimit(withinMs, () => new Error('It was not closed in time.'));
  for (const end of [...ends].reverse()) await limit.race(end()).catch(onFailure);
  limit.stop();
}
