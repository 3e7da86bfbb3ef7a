import type { ClientClock } from '../platform/client-clock';

interface Timer {
  at: number;
  callback: () => void;
}

/** What has not happened within this time never happens, on any machine. */
const GIVE_UP_MS = 30_000;

/** A clock that moves only when a test advances it. */
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

  /** Advances the time, running the timers that become due, in order. */
  advance(ms: number): void {
    const end = this.now + ms;
    for (let due = this.firstUntil(end); due; due = this.firstUntil(end)) {
      this.timers.delete(due);
      this.now = Math.max(this.now, due.at);
      due.callback();
    }
    this.now = end;
  }

  /** Advances the time without running timers, as during a blocked event loop. */
  freeze(ms: number): void {
    this.now += ms;
  }

  /** Waits until a timer is due within `ms`, then advances the time by `ms`. */
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

/** Lets I/O continue until `isSo` returns true. */
export async function until(isSo: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + GIVE_UP_MS;
  while (!isSo()) {
    if (performance.now() > giveUpAt) throw new Error('waited in vain');
    await new Promise(setImmediate);
  }
}
