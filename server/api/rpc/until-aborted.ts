/**
 * Passes values on until the signal, then throws its reason at once, also while the next value is
 * awaited.
 *
 * @param values their `return` is called, and not awaited
 */
export async function* untilAborted<T>(
  values: AsyncGenerator<T, void>,
  signal: AbortSignal,
): AsyncGenerator<T, void> {
  try {
    for (;;) {
      const next = await nextOf(values, signal);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    values.return().catch(() => undefined);
  }
}

function nextOf<T>(
  values: AsyncGenerator<T, void>,
  signal: AbortSignal,
): Promise<IteratorResult<T, void>> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) return onAbort();
    // A listener for each value: a promise that lives as long as the stream would keep every one of
    // them.
    signal.addEventListener('abort', onAbort, { once: true });
    const done = () => signal.removeEventListener('abort', onAbort);
    values.next().finally(done).then(resolve, reject);
  });
}
