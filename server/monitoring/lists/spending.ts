/** All live lists together may take this share of one core. */
const SHARE = 0.2;

/** What was not spent may be spent later, up to the work of so much time. */
const SAVED_MS = 3_000 * SHARE;

/** Updates are called slowed until so much time has passed without one that had to wait. */
const SLOWED_FOR_MS = 5_000;

/** How much time live lists may take of this process, and when they have had too much. */
export class Spending {
  private leftMs = SAVED_MS;
  private countedAt: number;
  private waitedAt = Number.NEGATIVE_INFINITY;

  /** @param monotonic this process's clock that never steps, in milliseconds */
  constructor(private readonly monotonic: () => number) {
    this.countedAt = monotonic();
  }

  /** Live lists come less often than they should. */
  get isSlowed(): boolean {
    return this.monotonic() - this.waitedAt < SLOWED_FOR_MS;
  }

  spend(ms: number): void {
    this.count();
    this.leftMs -= ms;
  }

  /** How long the next work has to wait; 0 if it may begin. */
  waitMs(): number {
    this.count();
    return Math.max(0, -this.leftMs / SHARE);
  }

  /** The work that was due has had to wait. */
  noteWait(): void {
    this.waitedAt = this.monotonic();
  }

  private count(): void {
    const now = this.monotonic();
    this.leftMs = Math.min(SAVED_MS, this.leftMs + (now - this.countedAt) * SHARE);
    this.countedAt = now;
  }
}
