/** A reading is cut to whole milliseconds. */
const CLOCK_GRAIN_MS = 1;

/** How far a clock may run apart from ours between two readings, as a share. */
const DRIFT = 0.001;

/**
 * What is known of a backend's clock without asking it: a lower bound.
 *
 * A reading is older than its answer, so "the reading, plus what has passed since the answer came" is never ahead of a
 * clock that runs true. The best of the readings so far is kept, less a little for drift.
 */
export class BackendClock {
  private aheadMs: number | null = null;
  private takenAt = 0;

  /** @param monotonic this process's clock that never steps, in milliseconds */
  constructor(private readonly monotonic: () => number) {}

  /**
   * Takes a reading whose answer has just come. A late answer is an old reading and says little; only one that could not
   * be true even if it had been read as the question was sent means that the clock was set back.
   *
   * @param sentAt when the question was sent, on our clock
   */
  observe(now: number, sentAt: number): void {
    const at = this.monotonic();
    const reading = now - at;
    const kept = this.offset(at);
    const wasSetBack = kept !== null && kept > now + CLOCK_GRAIN_MS - sentAt;
    this.aheadMs = kept === null || wasSetBack ? reading : Math.max(kept, reading);
    this.takenAt = at;
  }

  /** The backend's clock is at least this; null before the first reading. Whole milliseconds. */
  atLeast(): number | null {
    const at = this.monotonic();
    const offset = this.offset(at);
    return offset === null ? null : Math.floor(at + offset);
  }

  private offset(at: number): number | null {
    return this.aheadMs === null ? null : this.aheadMs - (at - this.takenAt) * DRIFT;
  }
}
