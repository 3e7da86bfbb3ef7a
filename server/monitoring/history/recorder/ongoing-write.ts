/** A write that goes on while its owner does other work; one at a time, until one fails. */
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
    // `end` says so, which may be called later.
    this.last.catch(() => undefined);
  }

  /** Resolves at the end of the last one; rejects if that failed. */
  end(): Promise<void> {
    return this.last;
  }
}
