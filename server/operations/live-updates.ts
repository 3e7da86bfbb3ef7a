import type { OperationContext } from './operation-context';

/** How often a watcher is notified. */
interface UpdateInterval {
  /** At most once in this time, however much changes. */
  minMs: number;
  /** At least once in this time, even if nothing changes. */
  maxMs: number;
}

/** The rate for a page that follows locks: slow enough to read, often enough to show its age. */
export const LIVE_UPDATES: UpdateInterval = { minMs: 500, maxMs: 2_000 };

/** Yields immediately, then after changes and at least once in `maxMs`, until the signal aborts. */
export async function* throttledChanges(
  subscribe: (listener: () => void) => () => void,
  { minMs, maxMs }: UpdateInterval,
  signal: AbortSignal | undefined,
): AsyncGenerator<void, void> {
  let hasChanged = false;
  let wake = () => {};
  const sleep = (ms: number, isDone: () => boolean) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        if (!isDone() && !signal?.aborted) return;
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
      await sleep(minMs, () => false);
      await sleep(maxMs - minMs, () => hasChanged);
    }
  } finally {
    unsubscribe();
    signal?.removeEventListener('abort', onAbort);
  }
}

/**
 * A lock or counter as its page shows it: now, after changes, and at least every two seconds.
 *
 * @param revOf its rev as this process last read it; undefined: never
 */
export async function* watchDetail<D extends { row: { rev: number } }>(
  { runtime, signal }: OperationContext,
  revOf: () => number | undefined,
  read: () => Promise<D>,
): AsyncGenerator<D, void> {
  const { projection, clock } = runtime;
  let seenRev: number | null = null;
  let seenAt = 0;
  const changes = throttledChanges((on) => projection.subscribe(on), LIVE_UPDATES, signal);
  for await (const _ of changes) {
    const isDue = clock.monotonic() - seenAt >= LIVE_UPDATES.maxMs - LIVE_UPDATES.minMs;
    if (seenRev !== null && !isDue && revOf() === seenRev) continue;
    const detail = await read();
    seenRev = detail.row.rev;
    seenAt = clock.monotonic();
    yield detail;
  }
}
