/** Marks an answer that shows an instant of the past. */
export interface PastMark {
  /** The instant, on the server's clock. */
  at: number;
  /** From when on the past can be shown, on the clocks of the backends. */
  since: number;
  /** Whether there were more locks than can be shown, so that some are missing. */
  isCut: boolean;
  /** Whether holds and waits that ended shortly before may be missing: not all is recorded yet. */
  isLagging: boolean;
  /**
   * The ids of the backends that could not be read since: their locks are `unknown`, and what
   * changed there after they were last read may be missing. Absent: none.
   */
  unread?: string[];
  /** Set if the database has since been restored from a backup that was made before `at`. */
  restored?: RestoredBackup;
}

/** A restore of the control database. What was recorded between the two instants is lost. */
export interface RestoredBackup {
  madeAt: number;
  restoredAt: number;
}
