import { TimeLimit } from '../../platform/time-limit';

/** The answer of `work`; rejects with the message if it takes longer than `ms`. */
export function answerWithin<T>(ms: number, work: Promise<T>, message: string): Promise<T> {
  return TimeLimit.within(ms, () => new Error(message), work);
}

/** Waits for `work`, at most `ms`. Never rejects, even if the work fails. */
export async function within(ms: number, work: Promise<unknown> | undefined): Promise<void> {
  await answerWithin(ms, Promise.resolve(work), 'It took too long.').catch(() => undefined);
}
