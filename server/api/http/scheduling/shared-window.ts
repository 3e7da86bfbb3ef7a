import { performance } from 'node:perf_hooks';

const LEAST = 8;
const MOST = 64;

/**
 * Shares of time in which the event loop was at work: above the one it is busy, below the other it
 * has time to spare.
 */
const BUSY = 0.95;
const SPARE = 0.8;

/**
 * How much of one API key may be under way while other keys are active. Where this process is what
 * calls wait for, little: a packet that others' calls share is soon done. Where they wait for a
 * store elsewhere, more: it takes many at once to keep that busy.
 */
export class SharedWindow {
  size = LEAST;

  /**
   * @param utilization the share of time in which the event loop was at work since it was asked
   *   last
   */
  constructor(private readonly utilization: () => number = loopUtilization()) {}

  adapt(): void {
    const utilization = this.utilization();
    if (utilization > BUSY) this.size = Math.max(LEAST, Math.floor(this.size / 2));
    else if (utilization < SPARE) this.size = Math.min(MOST, this.size + LEAST);
  }
}

function loopUtilization(): () => number {
  let last = performance.eventLoopUtilization();
  return () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, last);
    last = now;
    return utilization;
  };
}
