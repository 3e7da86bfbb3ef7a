import { TimeLimit } from '../../platform/time-limit';

/**
 * Closes the parts of a process, the last opened first, each once the one before is closed. Never
 * rejects. If one waits for something that does not respond, others may too: after `withinMs` the
 * rest is closed without waiting.
 *
 * @param ends functions that close the parts, in the order of opening
 * @param withinMs the time limit for all of them together
 * @param onFailure called with the reason why a part did not close, or not in time
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
