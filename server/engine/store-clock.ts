import { ClockInterval } from '../storage/clock-interval';

/** A reading is recent for this long: heartbeats bring several, unless this process slept. */
const RECENT_MS = 5_000;

/** The two instants between which a backend's clock is, unless it was set just now. */
export class StoreClock {
  private readonly interval = new ClockInterval();
  private observedAt = Number.NEGATIVE_INFINITY;

  /**
   * @param monotonic this process's clock that never steps, in milliseconds
   * @param onStep called when a reading shows that the clock was set: by how many milliseconds at
   *   least, back where negative
   */
  constructor(
    private readonly monotonic: () => number,
    private readonly onStep: (ms: number) => void = () => undefined,
  ) {}

  /**
   * Takes a reading that has just arrived. A late one says little about the clock by now. The clock
   * was set only if the reading is impossible for every instant between question and answer.
   *
   * @param sentAt when the question was sent, on our clock
   */
  observe(now: number, sentAt: number): void {
    this.observedAt = this.monotonic();
    const stepMs = this.interval.measure(now, sentAt, this.observedAt);
    if (stepMs !== 0) this.onStep(stepMs);
  }

  /** The backend's clock is at least this; null before the first reading. Whole milliseconds. */
  atLeast(): number | null {
    const interval = this.interval.at(this.monotonic());
    return interval && Math.floor(interval.earliest);
  }

  /** The same; null also without a recent reading: the clock may be seconds ahead of this then. */
  recentlyAtLeast(): number | null {
    return this.monotonic() - this.observedAt <= RECENT_MS ? this.atLeast() : null;
  }

  /** The backend's clock is at most this; null before the first reading. Whole milliseconds. */
  atMost(): number | null {
    const interval = this.interval.at(this.monotonic());
    return interval && Math.ceil(interval.latest);
  }

  /** The latest that the backend's clock can show, if it showed `shown` after `sentAt` on ours. */
  latestSince(shown: number, sentAt: number): number {
    const at = this.monotonic();
    const byItself = shown + at - sentAt;
    const latest = this.interval.at(at)?.latest;
    return latest === undefined || latest < shown ? byItself : Math.min(byItself, latest);
  }
}
