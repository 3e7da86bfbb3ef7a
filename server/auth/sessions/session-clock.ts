import type { Clock } from '../../platform/clock';

/** Smaller differences come from readings in whole milliseconds, not from a clock that was set. */
const SET_BACK_MIN_MS = 10;

/**
 * The time used for session expiry. If the machine's clock is set back, this one continues from its
 * old time. `acceptSetting` adopts the new time; its caller first removes the sessions that have
 * ended by the old one.
 */
export class SessionClock {
  private reached: { instant: number; at: number };

  constructor(private readonly clock: Clock) {
    this.reached = { instant: clock.now(), at: clock.monotonic() };
  }

  now(): number {
    const at = this.clock.monotonic();
    const wall = this.clock.now();
    const steady = this.reached.instant + (at - this.reached.at);
    if (wall > steady) this.reached = { instant: wall, at };
    return Math.max(wall, Math.floor(steady));
  }

  isSetBack(): boolean {
    return this.now() - this.clock.now() > SET_BACK_MIN_MS;
  }

  acceptSetting(): void {
    this.reached = { instant: this.clock.now(), at: this.clock.monotonic() };
  }
}
