/** Gives a place back; further calls do nothing. */
export type LeavePlace = () => void;

/**
 * Lets a few in at a time and lets a bounded number of others wait, first come, first served. Further
 * callers are refused at once: a page that cannot be had soon is better refused.
 */
export class PageGate {
  private inside = 0;
  private readonly waiting = new Set<(leave: LeavePlace) => void>();

  constructor(
    private readonly insideMax: number,
    private readonly waitingMax: number,
  ) {}

  get rendering(): number {
    return this.inside;
  }

  get queued(): number {
    return this.waiting.size;
  }

  /**
   * @param gone aborts when the caller hangs up, which frees its place in the queue
   * @returns what gives the place back, or null: the queue is full, or the caller has gone
   */
  enter(gone: AbortSignal): Promise<LeavePlace | null> {
    if (gone.aborted) return Promise.resolve(null);
    if (this.inside < this.insideMax) return Promise.resolve(this.admit());
    if (this.waiting.size >= this.waitingMax) return Promise.resolve(null);
    return new Promise((resolve) => {
      const giveUp = () => {
        this.waiting.delete(admit);
        resolve(null);
      };
      const admit = (leave: LeavePlace) => {
        gone.removeEventListener('abort', giveUp);
        resolve(leave);
      };
      this.waiting.add(admit);
      gone.addEventListener('abort', giveUp, { once: true });
    });
  }

  private admit(): LeavePlace {
    this.inside += 1;
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.inside -= 1;
      const [next] = this.waiting;
      if (!next) return;
      this.waiting.delete(next);
      next(this.admit());
    };
  }
}
