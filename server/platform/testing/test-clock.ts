import type { Clock } from '../clock';

/** A clock that moves only when the test advances it. */
export class TestClock implements Clock {
  private passedMs = 0;

  constructor(private readonly startedAt = Date.UTC(2026, 0, 1)) {}

  now(): number {
    return this.startedAt + this.passedMs;
  }

  monotonic(): number {
    return this.passedMs;
  }

  pass(ms: number): void {
    this.passedMs += ms;
  }
}
