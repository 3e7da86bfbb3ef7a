/** Marks an answer that shows an instant of the past. */
export interface PastMark {
  /** The instant, on the server's clock. */
  at: number;
  /** Since when the past can be shown, on the clocks of the backends. */
  since: number;
  /** More locks were in use than are shown: the rest is left out. */
  isCut: boolean;
  /**
   * What ended shortly before may be missing here: it may not be recorded yet, or a backend may not
   * have answered since; the locks of that one are `unknown`.
   */
  isLagging: boolean;
  /** Set if the database was since restored from a backup that was made before the instant. */
  restored?: RestoredBackup;
}

/** A restore of the control database. What was recorded between the two instants is lost. */
export interface RestoredBackup {
  madeAt: number;
  restoredAt: number;
}
