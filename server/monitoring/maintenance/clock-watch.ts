import type { Clock } from '../../platform/clock';

/** What is less may be the fine tuning of a clock, or how long the readings took. */
const STEP_MIN_MS = 1_000;

/** A clock that was set, forward or, where `ms` is negative, back. */
export interface ClockStep {
  /** `server`: this machine's; else the id of the backend whose clock it is. */
  clock: string;
  /** By how much, at least. */
  ms: number;
}

/**
 * Watches this machine's clock against one that never steps, and passes on what engines saw of
 * their backends'. A machine that slept looks like one whose clock was set forward.
 */
export class ClockWatch {
  private aheadMs: number;

  constructor(
    private readonly clock: Clock,
    private readonly onStep: (step: ClockStep) => void,
  ) {
    this.aheadMs = clock.now() - clock.monotonic();
  }

  /** Looks at this machine's clock. */
  check(): void {
    const aheadMs = this.clock.now() - this.clock.monotonic();
    const ms = Math.round(aheadMs - this.aheadMs);
    if (Math.abs(ms) < STEP_MIN_MS) return;
    this.aheadMs = aheadMs;
    this.onStep({ clock: 'server', ms });
  }

  /** A backend's clock was seen to have been set. */
  report(backend: string, ms: number): void {
    if (Math.abs(ms) >= STEP_MIN_MS) this.onStep({ clock: backend, ms: Math.round(ms) });
  }
}
