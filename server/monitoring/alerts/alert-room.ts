import type { AlertSubject } from '../../contract/console/alerts/alert-row';

/** How many silenced alerts may fire at once, and how many others; more are only counted. */
const FIRING_MAX = 1_000;

/** The room for new alerts beside those that fire. */
export class AlertRoom {
  /** How many new alerts there was no room for. */
  left = 0;
  private forSilenced = FIRING_MAX;
  private forOthers = FIRING_MAX;

  constructor(
    firing: Iterable<AlertSubject>,
    private readonly isSilenced: (subject: AlertSubject) => boolean,
  ) {
    for (const alert of firing) this.take(alert);
  }

  /** Reserves room for a new alert; false, and counted in `left`, if there is none. */
  admits(alert: AlertSubject): boolean {
    const hasPlace = this.take(alert);
    if (!hasPlace) this.left += 1;
    return hasPlace;
  }

  private take(alert: AlertSubject): boolean {
    if (this.forSilenced <= 0 && this.forOthers <= 0) return false;
    return this.isSilenced(alert) ? this.forSilenced-- > 0 : this.forOthers-- > 0;
  }
}
