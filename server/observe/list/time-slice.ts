import { setImmediate } from 'node:timers/promises';

/** Work of a list never keeps others of this process waiting for longer at a time. */
const SLICE_MS = 3;

/** Long work in short slices: whoever does it asks now and then whether to let others go first. */
export class TimeSlice {
  private begunAt: number;
  private spent = 0;

  /** @param monotonic this process's clock that never steps, in milliseconds */
  constructor(private readonly monotonic: () => number) {
    this.begunAt = monotonic();
  }

  get isOver(): boolean {
    return this.monotonic() - this.begunAt >= SLICE_MS;
  }

  /** How long it worked so far, in milliseconds. */
  get spentMs(): number {
    return this.spent + this.monotonic() - this.begunAt;
  }

  /** Lets everybody else of this process go first. */
  async pause(): Promise<void> {
    this.spent += this.monotonic() - this.begunAt;
    await setImmediate();
    this.begunAt = this.monotonic();
  }
}
