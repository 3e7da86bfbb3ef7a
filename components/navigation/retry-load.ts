/** How long after a failure a part is asked for again. */
const RETRY_MS = 1_000;

/**
 * Loads a part of a page, however often that fails: an error would take the whole page away, with
 * what is known of the locks.
 *
 * @param onFailure called after each attempt that failed
 * @param signal once it is aborted, nothing is asked for any more
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
