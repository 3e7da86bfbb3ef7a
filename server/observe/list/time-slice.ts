import { setImmediate } from 'node:timers/promises';

/** Work of a list never keeps others of this process waiting for longer at a time. */
const SLICE_MS = 3;

/** Long work in short slices: whoever does it asks now and then whether to let others go first. */
export class TimeSlice {
  private begunAt: number;
  private spentFrom: number;
  private spent = 0;

  /**
   * @param monotonic this process's clock that never steps, in milliseconds
   * @param cpuMs how long this process has worked so far
   */
  constructor(
    private readonly monotonic: () => number,
    private readonly cpuMs: () => number = monotonic,
  ) {
    this.begunAt = monotonic();
    this.spentFrom = cpuMs();
  }

  get isOver(): boolean {
    return this.monotonic() - this.begunAt >= SLICE_MS;
  }

  /** How much work it was so far, in milliseconds of a core. */
  get spentMs(): number {
    return this.spent + this.cpuMs() - this.spentFrom;
  }

  /** Lets everybody else of this process go first. */
  async pause(): Promise<void> {
    this.spent += this.cpuMs() - this.spentFrom;
    await setImmediate();
    this.begunAt = this.monotonic();
    this.spentFrom = this.cpuMs();
  }
}
