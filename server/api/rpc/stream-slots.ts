import { LockyardError } from '../../contract/errors';

/**
 * The most live streams that one person may have open at one process: several windows on several
 * screens.
 */
export const STREAMS_MAX_PER_USER = 20;

const RETRY_AFTER_MS = 5_000;

/** Counts the live streams of each person. */
export class StreamSlots {
  private readonly taken = new Map<string, number>();

  /** @param refuse counts a refusal; answers what to refuse with */
  constructor(
    private readonly refuse = (message: string, retryAfterMs: number) =>
      new LockyardError('RATE_LIMITED', message, { retryAfterMs }),
  ) {}

  /** How many are open, of all together. */
  get open(): number {
    let sum = 0;
    for (const open of this.taken.values()) sum += open;
    return sum;
  }

  /**
   * Takes a slot; the answer gives it back.
   *
   * @throws LockyardError `RATE_LIMITED` when all of this person's are taken
   */
  take(userId: string): () => void {
    const open = this.taken.get(userId) ?? 0;
    if (open >= STREAMS_MAX_PER_USER) {
      throw this.refuse('Too many live pages are open for this account.', RETRY_AFTER_MS);
    }
    this.taken.set(userId, open + 1);
    return () => {
      const left = (this.taken.get(userId) ?? 1) - 1;
      if (left > 0) this.taken.set(userId, left);
      else this.taken.delete(userId);
    };
  }
}
