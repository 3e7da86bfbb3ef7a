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
