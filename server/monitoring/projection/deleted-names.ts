import { sinceEra } from '../../core/fencing-token';

/**
 * A deleted record's rev is at least 10 minutes below the first one of the next record of its name:
 * half of that is left for errors of the backend's clock.
 */
const CLOCK_MARGIN_MS = 5 * 60_000;

/** A reading or a row of history from before a deletion arrives within this time after it. */
const KEPT_MS = 60_000;

/**
 * Names that were deleted a short while ago: a late reading from before the deletion must not show
 * them again, since a deletion leaves no history that would correct it.
 */
export class DeletedNames {
  /** By row id, the oldest first. */
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

  /** Whether this revision is of the deleted record, not of a new one of the same name. */
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
