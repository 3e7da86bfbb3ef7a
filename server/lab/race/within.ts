import { setTimeout } from 'node:timers/promises';

/** Waits for work, but no longer than this, and not for its failure. */
export async function within(ms: number, work: Promise<unknown> | undefined): Promise<void> {
  const stopping = new AbortController();
  const late = setTimeout(Math.max(0, ms), undefined, { signal: stopping.signal });
  await Promise.race([late, Promise.resolve(work)]).catch(() => undefined);
  stopping.abort();
  late.catch(() => undefined);
}
