import { setTimeout } from 'node:timers/promises';

/** The answer of `work`; rejects with the message if it takes longer than `ms`. */
export async function answerWithin<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  const stopping = new AbortController();
  const late = setTimeout(ms, undefined, { signal: stopping.signal }).then(() => {
    throw new Error(message);
  });
  try {
    return await Promise.race([late, work]);
  } finally {
    stopping.abort();
    late.catch(() => undefined);
  }
}

/** Waits for `work`, at most `ms`. Never rejects, even if the work fails. */
export async function within(ms: number, work: Promise<unknown> | undefined): Promise<void> {
  const stopping = new AbortController();
  const late = setTimeout(Math.max(0, ms), undefined, { signal: stopping.signal });
  await Promise.race([late, Promise.resolve(work)]).catch(() => undefined);
  stopping.abort();
  late.catch(() => undefined);
}
