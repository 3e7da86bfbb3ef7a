/** How long callers must have come one at a time before one of them counts as alone. */
const ONE_AT_A_TIME_MS = 250;

/**
 * Whether a store has one caller at a time, or several that wait beside one another.
 *
 * Calls that come while the event loop is held up are begun in one turn of it, so they overlap as
 * well. Several callers are missed only where together they call so seldom that no two meet.
 */
export class CallOverlap {
  private waiting = 0;
  private overlappedAt = Number.NEGATIVE_INFINITY;

  /** @param monotonic in milliseconds */
  constructor(private readonly monotonic: () => number) {}

  /**
   * Runs one call.
   *
   * @param callers how many wait for it
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

  /** Whether no two callers wait now, nor did a short time ago. */
  isAlone(): boolean {
    return this.waiting <= 1 && this.monotonic() - this.overlappedAt >= ONE_AT_A_TIME_MS;
  }
}
