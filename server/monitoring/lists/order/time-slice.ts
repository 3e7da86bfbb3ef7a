import { setTimeout } from 'node:timers/promises';

/** Work of a list never keeps others of this process waiting for longer at a time. */
const SLICE_MS = 3;

/** From the beginning of one slice to that of the next, over all long work, less a slice. */
const REST_MS = 7;

let rested: Promise<unknown> = Promise.resolve();

/**
 * Lets others of this process go first for longer than one turn of the event loop: a call crosses
 * several, and must not meet a slice in each of them. Who rests at the same time goes on one after
 * another.
 */
function rest(): Promise<unknown> {
  rested = rested.then(() => setTimeout(REST_MS));
  return rested;
}

/**
 * Splits long work into short slices: the worker checks now and then whether to yield to other
 * tasks.
 */
export class TimeSlice {
  private begunAt: number;
  private spentFrom: number;
  private spent = 0;
  private isCounting = true;

  /**
   * @param monotonic this process's clock that never steps, in milliseconds
   * @param cpuMs how long this process has worked so far
   * @param pauses between two slices
   */
  constructor(
    private readonly monotonic: () => number,
    private readonly cpuMs: () => number = monotonic,
    private readonly pauses: () => Promise<unknown> = rest,
  ) {
    this.begunAt = monotonic();
    this.spentFrom = cpuMs();
  }

  get isOver(): boolean {
    return this.monotonic() - this.begunAt >= SLICE_MS;
  }

  /** How much work it was so far, in milliseconds of a core. */
  get spentMs(): number {
    return this.spent + (this.isCounting ? this.cpuMs() - this.spentFrom : 0);
  }

  /** Lets others of this process go first. */
  async pause(): Promise<void> {
    await this.wait(this.pauses());
  }

  /** Waits for what may be the work of others, which is not counted here. */
  async wait<T>(work: Promise<T>): Promise<T> {
    this.stop();
    try {
      return await work;
    } finally {
      this.go();
    }
  }

  /** Counts work that is done while this slice waits. */
  async count(work: () => Promise<void>): Promise<void> {
    this.go();
    try {
      await work();
    } finally {
      this.stop();
    }
  }

  private stop(): void {
    this.spent = this.spentMs;
    this.isCounting = false;
  }

  private go(): void {
    if (this.isCounting) return;
    this.isCounting = true;
    this.begunAt = this.monotonic();
    this.spentFrom = this.cpuMs();
  }
}
