/** Runs work one at a time, in the order given. Work that fails does not stop what follows it. */
export class SerialQueue {
  private last: Promise<unknown> = Promise.resolve();

  /** Runs the work after all earlier work has ended, and settles as it does. */
  run<T>(work: () => Promise<T>): Promise<T> {
    const done = this.last.then(work);
    this.last = done.catch(() => undefined);
    return done;
  }

  /** Resolves when all work given so far has ended. Never rejects. */
  async idle(): Promise<void> {
    await this.last;
  }
}
