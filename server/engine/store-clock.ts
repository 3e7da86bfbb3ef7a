import { OFFER_MS } from '../core/timing';
import { ClockInterval } from '../storage/clock-interval';

/** A reading is recent for this long: heartbeats bring several, unless this process slept. */
const RECENT_MS = 5_000;

/** After a smaller step forward, an offer still has most of its time. */
const STEP_MIN_MS = OFFER_MS / 4;

/** Bounds of a backend's clock, valid unless it was set since the last reading. */
export class StoreClock {
  /**
   * The clock as last seen after a step forward of `STEP_MIN_MS` or more; 0: there was none, or the
   * clock was set back since.
   */
  setForwardAt = 0;
  private readonly interval = new ClockInterval();
  /** When the last reading came; null: there is none, or the clock was set forward since. */
  private observedAt: number | null = null;

  /**
   * @param monotonic this process's monotonic clock, in milliseconds
   * @param onStep called when a reading shows that the clock was set: by at least this many
   *   milliseconds, negative if back
   */
  constructor(
    private readonly monotonic: () => number,
    private readonly onStep: (ms: number) => void = () => undefined,
  ) {}

  /**
   * Adds a reading that has just arrived. The longer it took, the less it says about the clock now.
   * The clock was set only if the reading is impossible at every instant between request and reply.
   *
   * @param sentAt when the request was sent, on the monotonic clock
   */
  observe(now: number, sentAt: number): void {
    const at = this.monotonic();
    this.observedAt = at;
    const stepMs = this.interval.measure(now, sentAt, at);
    if (stepMs === 0) return;
    if (stepMs < 0) this.setForwardAt = 0;
    else if (stepMs >= STEP_MIN_MS) this.setForwardAt = now;
    this.onStep(stepMs);
  }

  /**
   * Adds that the clock shows at least `now`, by a store that only reports a lower bound of it. If
   * that shows that it was set forward, the readings so far count only for its lower bound.
   */
  observeAtLeast(now: number): void {
    const fits = this.interval.raise(now, this.monotonic());
    if (!fits) this.observedAt = null;
  }

  /** A lower bound of the backend's clock, in whole ms; null before the first reading. */
  atLeast(): number | null {
    const interval = this.interval.at(this.monotonic());
    return interval && Math.floor(interval.earliest);
  }

  /**
   * As `atLeast`, but null without a recent reading: the clock can be seconds ahead of the bound
   * then.
   */
  recentlyAtLeast(): number | null {
    const { observedAt } = this;
    const isRecent = observedAt !== null && this.monotonic() - observedAt <= RECENT_MS;
    return isRecent ? this.atLeast() : null;
  }

  /** An upper bound of the backend's clock, in whole ms; null if no reading counts. */
  atMost(): number | null {
    if (this.observedAt === null) return null;
    const interval = this.interval.at(this.monotonic());
    return interval && Math.ceil(interval.latest);
  }

  /** An upper bound of the backend's clock, given that it showed `shown` after `sentAt`. */
  latestSince(shown: number, sentAt: number): number {
    const at = this.monotonic();
    const byReply = shown + at - sentAt;
    const latest = this.interval.at(at)?.latest;
    return latest === undefined || latest < shown ? byReply : Math.min(byReply, latest);
  }
}
