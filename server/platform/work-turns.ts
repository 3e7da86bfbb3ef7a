import { setImmediate } from 'node:timers/promises';

/** Counts work, so that the rest of this process gets a turn after about `most` units of it. */
export class WorkTurns {
  private done = 0;

  /** @param most about how much is done between two pauses */
  constructor(private readonly most: number) {}

  /** Whether to pause before more is done. */
  get isOver(): boolean {
    return this.done >= this.most;
  }

  count(work: number): void {
    this.done += work;
  }

  async pause(): Promise<void> {
    await setImmediate();
    this.done = 0;
  }
}
