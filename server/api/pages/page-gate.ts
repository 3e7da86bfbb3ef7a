/** Frees the slot; further calls do nothing. */
export type LeaveSlot = () => void;

/**
 * Admits a few callers at a time and queues a bounded number of others, first come, first served.
 * Further callers are refused immediately: an early refusal is better than a long wait for a page.
 */
export class PageGate {
  private inside = 0;
  private readonly waiting = new Set<(leave: LeaveSlot) => void>();

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
   * @param gone aborts when the caller hangs up, which frees its position in the queue
   * @returns a function that frees the slot; null: the queue is full, or the caller has hung up
   */
  enter(gone: AbortSignal): Promise<LeaveSlot | null> {
    if (gone.aborted) return Promise.resolve(null);
    if (this.inside < this.insideMax) return Promise.resolve(this.admit());
    if (this.waiting.size >= this.waitingMax) return Promise.resolve(null);
    return new Promise((resolve) => {
      const giveUp = () => {
        this.waiting.delete(admit);
        resolve(null);
      };
      const admit = (leave: LeaveSlot) => {
        gone.removeEventListener('abort', giveUp);
        resolve(leave);
      };
      this.waiting.add(admit);
      gone.addEventListener('abort', giveUp, { once: true });
    });
  }

  private admit(): LeaveSlot {
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
