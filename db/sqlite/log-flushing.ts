/**
 * Flushes a write-ahead log to the disk, off the event loop, for many commits at a time.
 *
 * A flush covers what was committed before it began, so all commits during one share the next.
 * One that fails may have lost what it should have written, and a later one would succeed without
 * it: after a failure every flush fails, until the file is opened again.
 */
export class LogFlushing {
  private running: Promise<void> | null = null;
  private next: Promise<void> | null = null;
  private failure: Promise<never> | null = null;

  /** @param sync makes everything written to the log so far permanent */
  constructor(private readonly sync: () => Promise<void>) {}

  get hasFailed(): boolean {
    return this.failure !== null;
  }

  /** Resolves when everything that was committed before the call is on the disk. */
  flush(): Promise<void> {
    if (this.failure) return this.failure;
    if (this.next) return this.next;
    if (!this.running) return this.begin();
    this.next = this.afterRunning(this.running);
    return this.next;
  }

  private async afterRunning(running: Promise<void>): Promise<void> {
    await running;
    this.next = null;
    await this.begin();
  }

  private begin(): Promise<void> {
    this.running = this.sync().then(
      () => {
        this.running = null;
      },
      (error) => {
        this.failure = Promise.reject(error);
        this.failure.catch(() => undefined);
        throw error;
      },
    );
    return this.running;
  }
}
