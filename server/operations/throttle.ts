/** How often a watcher is notified. */
interface Pace {
  /** At most once in this time, however much changes. */
  gapMs: number;
  /** At least once in this time, even if nothing changes. */
  beatMs: number;
}

/**
 * The rate for a page that follows locks: slow enough to read, and frequent enough to show its age.
 */
export const LIVE_PACE: Pace = { gapMs: 500, beatMs: 2_000 };

/**
 * Yields at once, then after changes and at every interval, until the signal. Unsubscribes when it
 * ends.
 */
export async function* pacedChanges(
  subscribe: (listener: () => void) => () => void,
  { gapMs, beatMs }: Pace,
  signal: AbortSignal | undefined,
): AsyncGenerator<void, void> {
  let hasChanged = false;
  let wake = () => {};
  const nap = (ms: number, isOver: () => boolean) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        if (!isOver() && !signal?.aborted) return;
        clearTimeout(timer);
        resolve();
      };
      wake();
    });
  const onAbort = () => wake();
  signal?.addEventListener('abort', onAbort);
  const unsubscribe = subscribe(() => {
    hasChanged = true;
    wake();
  });
  try {
    while (!signal?.aborted) {
      hasChanged = false;
      yield;
      await nap(gapMs, () => false);
      await nap(beatMs - gapMs, () => hasChanged);
    }
  } finally {
    unsubscribe();
    signal?.removeEventListener('abort', onAbort);
  }
}
