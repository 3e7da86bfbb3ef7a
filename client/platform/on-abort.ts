const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back once the signal aborts; never if it already has. A signal has only one listener,
 * however many callbacks: Node warns of a leak at the eleventh, and many calls may share a signal.
 *
 * @returns a function that removes the callback
 */
export function onAbort(signal: AbortSignal | undefined, callBack: () => void): () => void {
  if (!signal) return () => undefined;
  const callbacks = waiting.get(signal) ?? listenTo(signal);
  // The same function may be passed twice.
  const own = () => callBack();
  callbacks.add(own);
  return () => void callbacks.delete(own);
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const callbacks = new Set<() => void>();
  waiting.set(signal, callbacks);
  const callAll = () => {
    for (const callBack of callbacks) callBack();
  };
  signal.addEventListener('abort', callAll, { once: true });
  return callbacks;
}
