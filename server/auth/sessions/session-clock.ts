import type { Clock } from '../../platform/clock';

/** A clock that is less behind than this was not set back: its readings are whole milliseconds. */
const SET_BACK_MIN_MS = 10;

/**
 * The time by which sessions are judged. Where the machine's clock is set back it goes on as time does, until somebody has
 * seen to what had ended by then and accepts the new time.
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
