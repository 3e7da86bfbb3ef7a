import { loopUtilization } from '../../../platform/process/loop-utilization';

const LEAST = 8;
const MOST = 64;

/** Event-loop utilisation: above the first the loop is busy, below the second it has spare time. */
const BUSY = 0.95;
const SPARE = 0.8;

/**
 * How much work of one API key may be in flight while other keys are active. Little if this process
 * is the bottleneck: a packet shared with other callers then completes soon. More if a remote store
 * is: keeping it busy takes many concurrent calls.
 */
export class SharedWindow {
  size = LEAST;

  /** @param utilization the share of time for which the event loop was busy since the last call */
  constructor(private readonly utilization: () => number = loopUtilization()) {}

  adapt(): void {
    const utilization = this.utilization();
    if (utilization > BUSY) this.size = Math.max(LEAST, Math.floor(this.size / 2));
    else if (utilization < SPARE) this.size = Math.min(MOST, this.size + LEAST);
  }
}
