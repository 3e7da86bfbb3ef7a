import { setMaxListeners } from 'node:events';

/** One time limit for several steps of work. Call `stop` at the end of the last one. */
export class TimeLimit {
  private readonly timer: NodeJS.Timeout;
  private readonly end: Promise<never>;
  private over = false;

  /** @param failure creates the error for work that is not done in time */
  constructor(ms: number, failure: () => Error) {
    let reject: (error: Error) => void = () => {};
    this.end = new Promise<never>((_, fail) => {
      reject = fail;
    });
    this.end.catch(() => undefined);
    this.timer = setTimeout(() => {
      this.over = true;
      reject(failure());
    }, ms);
  }

  /** The result of one piece of work, or the failure once its time is over. The work continues. */
  static async within<T>(ms: number, failure: () => Error, work: Promise<T>): Promise<T> {
    const limit = new TimeLimit(ms, failure);
    try {
      return await limit.race(work);
    } finally {
      limit.stop();
    }
  }

  get isOver(): boolean {
    return this.over;
  }

  /** The result of the work, or the failure as soon as the time is over. The work continues. */
  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.end]);
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}

/**
 * Runs work whose signal is aborted with a `TimeoutError` after a time, or as soon as `ending` is.
 * Afterwards nothing of it is left on `ending`: `AbortSignal.any` would keep an entry of each call
 * in memory for as long as `ending` lives.
 */
export async function abortedAfter<T>(
  ms: number,
  ending: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const ended = new AbortController();
  const late = () => ended.abort(new DOMException('It took too long.', 'TimeoutError'));
  const end = () => ended.abort(ending.reason);
  const timer = setTimeout(late, ms).unref();
  // Any number of attempts may be under way.
  setMaxListeners(0, ending);
  ending.addEventListener('abort', end);
  if (ending.aborted) end();
  try {
    return await work(ended.signal);
  } finally {
    clearTimeout(timer);
    ending.removeEventListener('abort', end);
  }
}
