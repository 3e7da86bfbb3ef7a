import type { ProjectionRow } from '../../projection/projection-row';

/** A longer pause between two readings is a gap: there may have been no server meanwhile. */
const GAP_MS = 5_000;

/** How long callers have to return after a gap; those that have not are gone by then. */
const SETTLED_AFTER_MS = 5_000;

/** Up to which instant the locks of each backend are known to be as they were read. */
export class ReadTimes {
  private readonly readUpTo = new Map<string, number>();
  /** When the last gap ended. */
  private readonly readFrom = new Map<string, number>();

  /** Notes that every write to this backend up to an instant of its clock has been read. */
  note(backend: string, instant: number): void {
    if (Math.abs(instant - this.upTo(backend)) > GAP_MS) this.readFrom.set(backend, instant);
    this.readUpTo.set(backend, instant);
  }

  /** The instant last noted; 0 before the first. */
  upTo(backend: string): number {
    return this.readUpTo.get(backend) ?? 0;
  }

  /**
   * Whether the record of a lock shows what its callers intend. Until history is read past the end
   * of an expired lease, it may have been renewed. For some seconds after a gap in the readings
   * there are leases that expired because no server could renew them, and waiters that timed out
   * meanwhile, or whose process ended.
   *
   * @param now the clock of its backend
   */
  isSettled({ backend, record: { holds } }: ProjectionRow, now: number): boolean {
    const upTo = this.upTo(backend);
    const areExpiriesRead = holds.every(({ expiresAt }) => expiresAt > now || expiresAt <= upTo);
    return areExpiriesRead && now - (this.readFrom.get(backend) ?? 0) >= SETTLED_AFTER_MS;
  }

  /** The last instant at which the lock is known to have been as it was read. */
  of({ backend, readAt, isReadable }: ProjectionRow): number {
    return isReadable ? Math.max(readAt, this.readUpTo.get(backend) ?? 0) : readAt;
  }
}
