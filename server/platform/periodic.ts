/**
 * Runs `work` again and again, `pauseMs` after it ended, until stopped. A failure is reported and
 * does not stop it.
 */
export function repeat(
  work: () => Promise<unknown>,
  pauseMs: number,
  onError: (error: unknown) => void,
): () => Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let current: Promise<unknown> = Promise.resolve();
  const next = () => {
    if (isStopped) return;
    timer = setTimeout(() => {
      current = work().catch(onError).finally(next);
    }, pauseMs);
    timer.unref();
  };
  next();
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await current;
  };
}
