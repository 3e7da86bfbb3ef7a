import { setTimeout } from 'node:timers/promises';
import { loopUtilization } from '../../../platform/process/loop-utilization';
import { SerialQueue } from '../../../platform/serial-queue';

/** How long work on a list may keep the rest of this process waiting at a time. */
const SLICE_MS = 3;

/** Items that are processed between two checks of the clock. */
const ITEMS_PER_CHECK = 64;

/** The pause between two slices of all long work: while this process is idle, and fully busy. */
const REST_MS = 7;
const BUSY_REST_MS = 28;

/** Up to this utilisation of its event loop, this process counts as idle. */
const SPARE_UTILIZATION = 0.5;

const rests = new SerialQueue();
const readUtilization = loopUtilization();

/**
 * Yields for longer than one turn of the event loop: a call takes several turns, and must not wait
 * for a slice in each of them. Callers that rest at the same time continue one after another.
 */
function rest(): Promise<unknown> {
  return rests.run(() => setTimeout(restMs(readUtilization())));
}

/** How long to rest, in ms. @param utilization the share of time for which the event loop worked */
export function restMs(utilization: number): number {
  const excess = Math.max(0, utilization - SPARE_UTILIZATION) / (1 - SPARE_UTILIZATION);
  return REST_MS + excess * (BUSY_REST_MS - REST_MS);
}

/** Splits long work into slices: the worker checks now and then whether to yield. */
export class TimeSlice {
  private begunAt: number;
  private spentFrom: number;
  private spent = 0;
  private isCounting = true;

  /**
   * @param monotonic this process's monotonic clock, in milliseconds
   * @param cpuMs how long this process has worked so far
   * @param pauses the pause between two slices
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

  /** The work so far, in milliseconds of one core. */
  get spentMs(): number {
    return this.spent + (this.isCounting ? this.cpuMs() - this.spentFrom : 0);
  }

  /** Yields to the rest of this process. */
  async pause(): Promise<void> {
    await this.wait(this.pauses());
  }

  /**
   * Calls `work` with each item, and yields to the rest of this process whenever the slice is over.
   * Items that are added or removed meanwhile are visited or not.
   *
   * @param work returns false to stop
   */
  async forEach<T>(items: Iterable<T>, work: (item: T, i: number) => unknown): Promise<void> {
    let i = 0;
    for (const item of items) {
      if (work(item, i) === false) return;
      i += 1;
      if (i % ITEMS_PER_CHECK === 0 && this.isOver) await this.pause();
    }
  }

  /** Like `forEach` for the numbers from 0 to `end`, exclusive, but allocates nothing for each. */
  async times(end: number, work: (i: number) => void): Promise<void> {
    for (let i = 0; i < end; i += 1) {
      work(i);
      if (i % ITEMS_PER_CHECK === 0 && this.isOver) await this.pause();
    }
  }

  /** Waits for work that may be shared with others; it is not counted here. */
  async wait<T>(work: Promise<T>): Promise<T> {
    this.stop();
    try {
      return await work;
    } finally {
      this.resume();
    }
  }

  /** Counts work that runs during `wait`. */
  async count(work: () => Promise<void>): Promise<void> {
    this.resume();
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

  private resume(): void {
    if (this.isCounting) return;
    this.isCounting = true;
    this.begunAt = this.monotonic();
    this.spentFrom = this.cpuMs();
  }
}
