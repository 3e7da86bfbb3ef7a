import { lossCausedBy } from '../errors';
import { onAbort } from '../platform/on-abort';
import type { Hold, HoldListeners, LockHold } from './lock-hold';

/** How a promise ended, as a value. */
export type Result<T> = { value: T } | { error: unknown };

export async function resultOf<T>(run: () => Promise<T> | T): Promise<Result<T>> {
  try {
    return { value: await run() };
  } catch (error) {
    return { error };
  }
}

/** The options that an inner call can have of its own. */
export interface InnerOptions extends HoldListeners {
  signal?: AbortSignal | undefined;
}

/**
 * Runs `work` under the hold of an outer call, without any request. Its signal follows the hold,
 * the outer call's signal and its own. When the outer work ends first, the hold ends for the inner
 * work too: its signal aborts, and the call rejects with `LockLost`.
 */
export async function workWithin<T>(
  hold: LockHold,
  options: InnerOptions,
  work: (hold: Hold) => Promise<T> | T,
): Promise<T> {
  const { signal: own } = options;
  own?.throwIfAborted();
  const inner = new AbortController();
  const end = (reason: unknown) => inner.abort(reason);
  const unlisten = hold.listen({ ...options, onEnd: end });
  const stopListening = onAbort(own, () => end(own?.reason));
  const result = await resultOf(() => work(hold.view({ signal: inner.signal, waitedMs: 0 })));
  unlisten();
  stopListening();

  const lost = hold.checkLost() ?? (hold.isOver ? hold.endedLoss() : null);
  if (lost) throw 'error' in result ? lossCausedBy(lost, result.error) : lost;
  if ('error' in result) throw result.error;
  return result.value;
}
