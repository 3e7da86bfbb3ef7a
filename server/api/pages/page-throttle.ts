import type { Clock } from '../../platform/clock';

/** The event-loop time of an answer apart from its bytes: parsing the request, headers, closing. */
const ANSWER_COST_MS = 0.5;
const COST_MS_PER_MIB = 2;
const MEBIBYTE = 1024 * 1024;
/** How many seconds of unused share may be saved for a burst. */
const SAVED_MAX_SECONDS = 0.5;

/**
 * Throttles answers so that, however many are requested, they use no more than a share of the event
 * loop. The rest wait, first come, first served; a caller that hangs up leaves the queue.
 */
export class PageThrottle {
  private balanceMs: number;
  private countedAt: number;
  private timer: NodeJS.Timeout | null = null;
  private readonly queue = new Set<() => void>();

  /** @param share of the event loop's time, from 0 to 1 */
  constructor(
    private readonly clock: Clock,
    private readonly share: number,
  ) {
    this.balanceMs = this.savedMaxMs;
    this.countedAt = clock.monotonic();
  }

  get waiting(): number {
    return this.queue.size;
  }

  /** @returns true once this answer may be sent; false if its caller hung up first */
  turn(gone: AbortSignal): Promise<boolean> {
    if (gone.aborted) return Promise.resolve(false);
    if (this.queue.size === 0 && this.earned() > 0) {
      this.balanceMs -= ANSWER_COST_MS;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const leave = () => {
        this.queue.delete(admit);
        resolve(false);
      };
      const admit = () => {
        gone.removeEventListener('abort', leave);
        resolve(true);
      };
      this.queue.add(admit);
      gone.addEventListener('abort', leave, { once: true });
      this.wake();
    });
  }

  /** Adds the further costs of an answer, once they are known. */
  spend({ bytes = 0, ms = 0 }: { bytes?: number; ms?: number }): void {
    this.balanceMs -= (bytes / MEBIBYTE) * COST_MS_PER_MIB + ms;
  }

  private earned(): number {
    const now = this.clock.monotonic();
    const balanceMs = this.balanceMs + (now - this.countedAt) * this.share;
    this.balanceMs = Math.min(balanceMs, this.savedMaxMs);
    this.countedAt = now;
    return this.balanceMs;
  }

  private get savedMaxMs(): number {
    return this.share * SAVED_MAX_SECONDS * 1_000;
  }

  private wake(): void {
    if (this.timer || this.queue.size === 0) return;
    const dueInMs = Math.max(1, Math.ceil(-this.balanceMs / this.share));
    this.timer = setTimeout(() => {
      this.timer = null;
      this.admitNext();
    }, dueInMs);
  }

  private admitNext(): void {
    this.earned();
    for (const admit of this.queue) {
      if (this.balanceMs <= 0) break;
      this.queue.delete(admit);
      this.balanceMs -= ANSWER_COST_MS;
      admit();
    }
    this.wake();
  }
}
