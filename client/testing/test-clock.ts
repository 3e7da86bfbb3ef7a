import type { ClientClock } from '../platform/client-clock';

interface Timer {
  at: number;
  callback: () => void;
}

/** What does not happen within this time, on any machine, never happens. */
const GIVE_UP_MS = 30_000;

/** A clock that only tests move. */
export class TestClock implements ClientClock {
  private now = 1_000;
  private readonly timers = new Set<Timer>();

  monotonic(): number {
    return this.now;
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.now + Math.max(0, ms), callback };
    this.timers.add(timer);
    return () => this.timers.delete(timer);
  }

  /** Moves time on, calling back whatever becomes due, in order. */
  advance(ms: number): void {
    const end = this.now + ms;
    for (let due = this.firstUntil(end); due; due = this.firstUntil(end)) {
      this.timers.delete(due);
      this.now = Math.max(this.now, due.at);
      due.callback();
    }
    this.now = end;
  }

  /** Moves time on without running timers, as during a blocked event loop. */
  freeze(ms: number): void {
    this.now += ms;
  }

  /** Waits until a timer is due within `ms`, then moves time on by `ms`. */
  async advanceOver(ms: number): Promise<void> {
    await until(() => this.firstUntil(this.now + ms) !== undefined);
    this.advance(ms);
  }

  /** How long until the next timer is due; infinite without one. */
  get nextDueMs(): number {
    return Math.min(...[...this.timers].map(({ at }) => at - this.now));
  }

  get timerCount(): number {
    return this.timers.size;
  }

  private firstUntil(end: number): Timer | undefined {
    return [...this.timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  }
}

/** Lets input and output go on until something is so. */
export async function until(isSo: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  while (!isSo()) {
    if (performance.now() > giveUpAt) throw new Error('waited in vain');
    await new Promise(setImmediate);
  }
}
