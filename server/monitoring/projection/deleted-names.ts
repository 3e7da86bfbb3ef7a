import { sinceEra } from '../../core/fencing-token';

/**
 * A deleted record's rev is at least 10 minutes below where its name begins again: half of that is
 * left for what is not known of the backend's clock.
 */
const CLOCK_MARGIN_MS = 5 * 60_000;

/** A reading or a line of history comes late by no more. */
const KEPT_MS = 60_000;

/**
 * Names that were deleted a short while ago: a reading from before that comes late must not show
 * them again, for a deletion leaves no history that would correct it.
 */
export class DeletedNames {
  /** By row, the oldest first. */
  private readonly deleted = new Map<string, { upToRev: number; at: number }>();

  /** @param monotonic this process's monotonic clock, in milliseconds */
  constructor(private readonly monotonic: () => number) {}

  /**
   * Notes a deletion.
   *
   * @param now the backend's clock, epoch milliseconds
   */
  add(id: string, now: number): void {
    this.deleted.delete(id);
    this.deleted.set(id, { upToRev: sinceEra(now - CLOCK_MARGIN_MS), at: this.monotonic() });
  }

  /** Whether this revision of a record is one that was deleted, not of a name used again. */
  has(id: string, rev: number): boolean {
    if (this.deleted.size === 0) return false;
    this.forgetOld();
    const deleted = this.deleted.get(id);
    return deleted !== undefined && rev <= deleted.upToRev;
  }

  private forgetOld(): void {
    const before = this.monotonic() - KEPT_MS;
    for (const [id, { at }] of this.deleted) {
      if (at >= before) return;
      this.deleted.delete(id);
    }
  }
}
