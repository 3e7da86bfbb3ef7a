import type { Clock } from '../../platform/clock';

/** What an answer costs the event loop besides its bytes: reading its request, its headers, its end. */
const ANSWER_COST_MS = 0.5;
const COST_MS_PER_MIB = 2;
const MEBIBYTE = 1024 * 1024;
/** What may be spent at once after a quiet time, in seconds of the share. */
const SAVED_MAX_SECONDS = 0.5;

/**
 * Spreads answers over time, so that they take no more than a share of the event loop however many are asked for. Beyond
 * that they wait, first come, first served; who hangs up leaves the line.
 */
export class PagePace {
  private balanceMs: number;
  private countedAt: number;
  private timer: NodeJS.Timeout | null = null;
  private readonly line = new Set<() => void>();

  /** @param share of the event loop's time, from 0 to 1 */
  constructor(
    private readonly clock: Clock,
    private readonly share: number,
  ) {
    this.balanceMs = this.savedMaxMs;
    this.countedAt = clock.monotonic();
  }

  get waiting(): number {
    return this.line.size;
  }

  /** @returns whether it is this answer's turn; false if its caller has gone before */
  turn(gone: AbortSignal): Promise<boolean> {
    if (gone.aborted) return Promise.resolve(false);
    if (this.line.size === 0 && this.earned() > 0) {
      this.balanceMs -= ANSWER_COST_MS;
      return Promise.resolve(true);
    }
    return new Promise((resolve) => {
      const leave = () => {
        this.line.delete(go);
        resolve(false);
      };
      const go = () => {
        gone.removeEventListener('abort', leave);
        resolve(true);
      };
      this.line.add(go);
      gone.addEventListener('abort', leave, { once: true });
      this.wake();
    });
  }

  /** Counts what an answer has cost besides, once that is known. */
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
    if (this.timer || this.line.size === 0) return;
    const dueInMs = Math.max(1, Math.ceil(-this.balanceMs / this.share));
    this.timer = setTimeout(() => {
      this.timer = null;
      this.letGo();
    }, dueInMs);
  }

  private letGo(): void {
    this.earned();
    for (const go of this.line) {
      if (this.balanceMs <= 0) break;
      this.line.delete(go);
      this.balanceMs -= ANSWER_COST_MS;
      go();
    }
    this.wake();
  }
}
