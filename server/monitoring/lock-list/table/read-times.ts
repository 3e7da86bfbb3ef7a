import type { ProjectionRow } from '../../projection/projection-row';

/** By backend: until when its locks are known not to have changed since they were read. */
export class ReadTimes {
  private readonly readUpTo = new Map<string, number>();

  /** Every write to this backend up to that instant of its clock has been read. */
  note(backend: string, instant: number): void {
    this.readUpTo.set(backend, instant);
  }

  /** The last such instant; 0 before the first. */
  upTo(backend: string): number {
    return this.readUpTo.get(backend) ?? 0;
  }

  /**
   * Whether history was read past the end of every lease that has run out: until then it may have
   * been renewed.
   *
   * @param now the clock of its backend
   */
  areLapsesRead({ backend, record: { holds } }: ProjectionRow, now: number): boolean {
    const upTo = this.upTo(backend);
    return holds.every(({ expiresAt }) => expiresAt > now || expiresAt <= upTo);
  }

  /** The last instant at which the lock is known to have been as it was read. */
  of({ backend, readAt, isReadable }: ProjectionRow): number {
    return isReadable ? Math.max(readAt, this.readUpTo.get(backend) ?? 0) : readAt;
  }
}
