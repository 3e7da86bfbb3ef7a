import { loopUtilization } from '../../../platform/loop-utilization';

const LEAST = 8;
const MOST = 64;

/** Event-loop utilization: above the first the loop is busy, below the second it has time. */
const BUSY = 0.95;
const SPARE = 0.8;

/**
 * How much work of one API key may be under way while other keys are active. Little where this
 * process is the bottleneck: a packet shared with other callers is then done soon. More where a
 * remote store is: keeping that busy takes many calls at once.
 */
export class SharedWindow {
  size = LEAST;

  /** @param utilization the share of time in which the event loop worked since the last call */
  constructor(private readonly utilization: () => number = loopUtilization()) {}

  adapt(): void {
    const utilization = this.utilization();
    if (utilization > BUSY) this.size = Math.max(LEAST, Math.floor(this.size / 2));
    else if (utilization < SPARE) this.size = Math.min(MOST, this.size + LEAST);
  }
}
