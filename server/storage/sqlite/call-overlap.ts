/** How long calls must not have overlapped before a caller counts as alone. */
const ONE_AT_A_TIME_MS = 250;

/**
 * Observes whether a store has one caller at a time, or several.
 *
 * Calls that arrive while the event loop is blocked begin in one turn of it, so they overlap too.
 * Several callers are missed only if they call so rarely that no two calls overlap.
 */
export class CallOverlap {
  private waiting = 0;
  private overlappedAt = Number.NEGATIVE_INFINITY;

  /** @param monotonic in milliseconds */
  constructor(private readonly monotonic: () => number) {}

  /**
   * Runs one call.
   *
   * @param callers how many callers wait for it
   */
  async during<T>(callers: number, call: () => Promise<T>): Promise<T> {
    this.waiting += callers;
    if (callers > 0 && this.waiting > 1) this.overlappedAt = this.monotonic();
    try {
      return await call();
    } finally {
      this.waiting -= callers;
    }
  }

  /** Whether no two callers wait now, and none have within `ONE_AT_A_TIME_MS`. */
  isAlone(): boolean {
    return this.waiting <= 1 && this.monotonic() - this.overlappedAt >= ONE_AT_A_TIME_MS;
  }
}
