/** How long after a failure loading is retried. */
const RETRY_MS = 1_000;

/**
 * Loads a part of a page, and retries until it succeeds: an error would replace the whole page, and
 * with it the last known state of the locks.
 *
 * @param onFailure called after each attempt that failed
 * @param signal ends the retries once it is aborted
 * @throws the reason of the signal, after a failure
 */
export async function retryLoad<Part>(
  load: () => Promise<Part>,
  onFailure: () => void,
  signal?: AbortSignal,
): Promise<Part> {
  for (;;) {
    try {
      return await load();
    } catch {
      signal?.throwIfAborted();
      onFailure();
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    signal?.throwIfAborted();
  }
}
