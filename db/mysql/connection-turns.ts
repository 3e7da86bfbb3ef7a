import type { TimeLimit } from '../../server/platform/time-limit';

/**
 * Turns of a limited number of callers, first come, first served. The driver's own queue keeps
 * callers that have given up: while a server is silent, it would grow without end.
 */
export class ConnectionTurns {
  private readonly waiting = new Set<() => void>();

  /** @param free how many callers may have a turn at the same time */
  constructor(private free: number) {}

  /** Resolves when the caller has a turn, which it must `end`; rejects once its time is over. */
  async take(limit: TimeLimit): Promise<void> {
    if (this.free > 0) {
      this.free -= 1;
      return;
    }
    let give = () => {};
    const given = new Promise<void>((resolve) => {
      give = resolve;
    });
    this.waiting.add(give);
    try {
      await limit.race(given);
    } catch (error) {
      // The turn can have been given just after the time was over.
      if (!this.waiting.delete(give)) this.end();
      throw error;
    }
  }

  end(): void {
    const [next] = this.waiting;
    if (!next) {
      this.free += 1;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}
