const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/**
 * Calls back once the signal aborts; never where it already has. However many wait for a signal, it
 * has one listener: Node warns of a leak at the eleventh, and calls may well share a signal.
 *
 * @returns stops it
 */
export function onAbort(signal: AbortSignal | undefined, callBack: () => void): () => void {
  if (!signal) return () => undefined;
  const callbacks = waiting.get(signal) ?? listenTo(signal);
  // The same function may be given twice.
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
