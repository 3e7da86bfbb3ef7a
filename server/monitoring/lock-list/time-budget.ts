/** The share of one core that all live lists together may use. */
const SHARE = 0.2;

/** The most unused time that is saved for later. */
const SAVED_MS = 3_000 * SHARE;

/** Updates count as slowed for this long after one had to wait. */
const SLOWED_FOR_MS = 5_000;

/** The time budget of live lists in this process, and whether they have exceeded it. */
export class TimeBudget {
  private leftMs = SAVED_MS;
  private countedAt: number;
  private delayedAt = Number.NEGATIVE_INFINITY;

  /** @param monotonic this process's monotonic clock, in milliseconds */
  constructor(private readonly monotonic: () => number) {
    this.countedAt = monotonic();
  }

  /** Whether live lists update less often than intended. */
  get isSlowed(): boolean {
    return this.monotonic() - this.delayedAt < SLOWED_FOR_MS;
  }

  spend(ms: number): void {
    this.refill();
    this.leftMs -= ms;
  }

  /** How long the next work has to wait; 0 if it may begin. */
  waitMs(): number {
    this.refill();
    return Math.max(0, -this.leftMs / SHARE);
  }

  /** Notes that work which was due had to wait. */
  noteDelay(): void {
    this.delayedAt = this.monotonic();
  }

  private refill(): void {
    const now = this.monotonic();
    this.leftMs = Math.min(SAVED_MS, this.leftMs + (now - this.countedAt) * SHARE);
    this.countedAt = now;
  }
}
