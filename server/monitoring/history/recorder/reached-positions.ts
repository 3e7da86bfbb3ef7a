import type { Clock } from '../../../platform/clock';

/** When a recorder reached its positions. */
export class ReachedPositions {
  /** Each with when it was reached on the monotonic clock, oldest first. */
  private reached: { position: number; at: number }[] = [];

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** Notes that a position is reached now. Returns the one reached this long ago; 0: none. */
  note(position: number, agoMs: number): number {
    const at = this.clock.monotonic();
    this.reached.push({ position, at });
    const last = this.reached.findLastIndex((each) => at - each.at >= agoMs);
    this.reached = this.reached.slice(Math.max(0, last));
    return last < 0 ? 0 : (this.reached[0]?.position ?? 0);
  }
}
