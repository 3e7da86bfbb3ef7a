import type { RecordEvent } from '../../core/record-event';
import type { Clock } from '../../platform/clock';

const WINDOW_SECONDS = 60;

/** The most seconds that are kept: while no page is open, the rate is not read. */
const SECONDS_MAX = 2 * WINDOW_SECONDS;

/** Grants a second over the last minute; over less in the first minute of a process. */
export class GrantRate {
  /** By second of the monotonic clock. */
  private readonly grants = new Map<number, number>();
  private readonly startedAt: number;

  constructor(private readonly clock: Clock) {
    this.startedAt = clock.monotonic();
  }

  /**
   * The clock of a backend's events minus the monotonic clock, in ms.
   *
   * @param clockOffsetMs the clock of the events minus that of this process
   */
  aheadMs(clockOffsetMs: number): number {
    return this.clock.now() + clockOffsetMs - this.clock.monotonic();
  }

  /** @param aheadMs the result of `aheadMs` a moment ago */
  note(events: readonly RecordEvent[], aheadMs: number): void {
    const now = this.clock.monotonic();
    for (const { kind, at } of events) {
      // Until it is known that a clock was set ahead, its events seem to be in the future.
      const grantedAt = Math.min(at - aheadMs, now);
      if (kind !== 'granted' || grantedAt < this.startedAt) continue;
      const second = Math.floor(grantedAt / 1_000);
      this.grants.set(second, (this.grants.get(second) ?? 0) + 1);
    }
    if (this.grants.size > SECONDS_MAX) this.forgetOld(now);
  }

  perSecond(): number {
    const now = this.clock.monotonic();
    this.forgetOld(now);
    let sum = 0;
    for (const count of this.grants.values()) sum += count;
    const passedSeconds = Math.max(1, (now - this.startedAt) / 1_000);
    return sum / Math.min(WINDOW_SECONDS, passedSeconds);
  }

  private forgetOld(now: number): void {
    const first = Math.floor(now / 1_000) - WINDOW_SECONDS + 1;
    for (const second of this.grants.keys()) if (second < first) this.grants.delete(second);
  }
}
