import type { AlertSubject } from '../../contract/console/alerts/alert-row';

/** The most silenced alerts that fire together, and the most others; more are only counted. */
const FIRING_MAX = 1_000;

/** How many new alerts can fire beside those that already do. */
export class AlertRoom {
  /** How many new alerts there was no room for. */
  leftOut = 0;
  private forSilenced = FIRING_MAX;
  private forOthers = FIRING_MAX;

  constructor(
    firing: Iterable<AlertSubject>,
    private readonly isSilenced: (subject: AlertSubject) => boolean,
  ) {
    for (const alert of firing) this.take(alert);
  }

  /** Reserves room for a new alert; false, and counted in `leftOut`, if there is none. */
  admits(alert: AlertSubject): boolean {
    const hasRoom = this.take(alert);
    if (!hasRoom) this.leftOut += 1;
    return hasRoom;
  }

  private take(alert: AlertSubject): boolean {
    if (this.forSilenced <= 0 && this.forOthers <= 0) return false;
    return this.isSilenced(alert) ? this.forSilenced-- > 0 : this.forOthers-- > 0;
  }
}
