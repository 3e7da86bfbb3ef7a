/** Marks an answer that shows an instant of the past. */
export interface PastMark {
  /** The instant, on the server's clock. */
  at: number;
  /** From when on the past can be shown, on the clocks of the backends. */
  since: number;
  /** Whether there were more locks than can be shown, so that some are missing. */
  isCut: boolean;
  /**
   * Whether holds and waits that ended shortly before may be missing: they may not be recorded yet,
   * or a backend has not responded since; the locks of that backend are `unknown`.
   */
  isLagging: boolean;
  /** Set if the database has since been restored from a backup that was made before `at`. */
  restored?: RestoredBackup;
}

/** A restore of the control database. What was recorded between the two instants is lost. */
export interface RestoredBackup {
  madeAt: number;
  restoredAt: number;
}
