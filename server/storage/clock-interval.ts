/** How far two clocks may drift apart between two measurements, as a fraction. */
const DRIFT = 0.001;

/** The other clock reports whole milliseconds, rounded down. */
const GRAIN_MS = 1;

/**
 * The earliest and latest instant that a remote clock can show now, without asking it.
 *
 * A measurement is an instant that the remote clock showed between a question and its answer. Each
 * measurement narrows the interval, and drift widens it again. A measurement outside the interval
 * means that the clock was set; from then on only the new measurement counts.
 */
export class ClockInterval {
  private earliestBy: Bound | null = null;
  private latestBy: Bound | null = null;

  /**
   * @param shown what the other clock showed, in whole milliseconds
   * @param sentAt when the question left, on our monotonic clock
   * @param answeredAt when the answer came, on the same clock
   * @returns the least number of milliseconds by which the other clock was set since the previous
   *   measurements; negative if it was set back, 0 if the measurement fits
   */
  measure(shown: number, sentAt: number, answeredAt: number): number {
    const earliest = { offset: shown - answeredAt, takenAt: answeredAt };
    // The other clock may have run fast ever since the question left.
    const latest = { offset: shown + GRAIN_MS - sentAt, takenAt: sentAt };
    const known = this.at(answeredAt);
    const shownAtMost = latestOf(latest, answeredAt);
    if (known === null || known.earliest > shownAtMost || known.latest < shown) {
      this.earliestBy = earliest;
      this.latestBy = latest;
      if (known === null) return 0;
      return known.latest < shown ? shown - known.latest : shownAtMost - known.earliest;
    }
    if (shown > known.earliest) this.earliestBy = earliest;
    if (shownAtMost < known.latest) this.latestBy = latest;
    return 0;
  }

  /**
   * Takes note that the other clock shows at least `shown`, when ours shows `at`. False: that is
   * impossible by the measurements, so the clock was set forward, which only the next measurement
   * takes into account. Ignored before the first one.
   */
  raise(shown: number, at: number): boolean {
    const known = this.at(at);
    if (known === null) return true;
    if (shown >= known.latest) return false;
    if (shown > known.earliest) this.earliestBy = { offset: shown - at, takenAt: at };
    return true;
  }

  /** The other clock shows `earliest` to `latest` when ours shows `at`; null if never measured. */
  at(at: number): { earliest: number; latest: number } | null {
    const { earliestBy, latestBy } = this;
    if (!earliestBy || !latestBy) return null;
    return {
      earliest: at + earliestBy.offset - (at - earliestBy.takenAt) * DRIFT,
      latest: latestOf(latestBy, at),
    };
  }

  /** Discards all measurements: another server may answer from now on. */
  reset(): void {
    this.earliestBy = null;
    this.latestBy = null;
  }
}

interface Bound {
  offset: number;
  takenAt: number;
}

const latestOf = ({ offset, takenAt }: Bound, at: number): number =>
  at + offset + (at - takenAt) * DRIFT;
