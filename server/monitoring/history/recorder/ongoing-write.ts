/** A write that runs while its owner does other work; one at a time, until one fails. */
export class OngoingWrite {
  private last: Promise<void> = Promise.resolve();
  private isOver = true;

  /** Also true once a write has failed. */
  get isUnderWay(): boolean {
    return !this.isOver;
  }

  /** Begins a write, unless one is under way or has failed. */
  begin(write: () => Promise<void>): void {
    if (!this.isOver) return;
    this.isOver = false;
    this.last = write().then(() => {
      this.isOver = true;
    });
    // `end` reports the failure, even if it is called later.
    this.last.catch(() => undefined);
  }

  /** Resolves when the last write has ended; rejects if it failed. */
  end(): Promise<void> {
    return this.last;
  }
}
