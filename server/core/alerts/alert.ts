import type { AlertRow, AlertSubject } from '../../contract/console/alerts/alert-row';

/** An alert is resolved when its rule was not met for this long. */
export const ALERT_QUIET_MS = 30_000;

/** An alert while its rule is evaluated again and again. Instants are the server's clock. */
export interface Alert extends Omit<AlertRow, 'id'> {
  /**
   * Since when its rule is not met any more, also on the clock that never steps; null while it is,
   * and where another process followed it.
   */
  cleared: { at: number; monotonicMs: number } | null;
}

/** A rule that is met now. */
export interface AlertReading extends AlertSubject {
  since: number;
  /** What is seen, made when the alert fires. */
  sentence: () => string;
}

/** What an alert is about, as one text: at most one alert fires for each. */
export const alertKey = ({ kind, backend, namespace, name }: AlertSubject): string =>
  `${kind}/${backend}/${namespace}/${name ?? ''}`;

/**
 * An alert after one more reading; null: there is none. The same object where nothing has changed.
 * One with `resolvedAt` is over: do not pass it again.
 *
 * @param reading null: its rule is not met, and that is known
 * @param monotonicMs the clock that never steps: a clock that is set resolves nothing
 * @param isSilenced is asked only of an alert that was not announced yet
 */
export function nextAlert(
  alert: Alert | null,
  reading: AlertReading | null,
  { now, monotonicMs, isSilenced }: { now: number; monotonicMs: number; isSilenced: () => boolean },
): Alert | null {
  if (!alert) return reading && fired(reading, now, isSilenced());
  if (!reading) {
    const cleared = alert.cleared ?? { at: now, monotonicMs };
    if (monotonicMs - cleared.monotonicMs >= ALERT_QUIET_MS) {
      // The clock may have been set back since.
      const clearedAt = Math.min(now, cleared.at);
      return { ...alert, cleared, resolvedAt: Math.max(clearedAt, alert.firedAt) };
    }
    return alert.cleared ? alert : { ...alert, cleared };
  }
  const announcedAt = alert.announcedAt ?? (isSilenced() ? null : now);
  if (alert.cleared === null && alert.announcedAt === announcedAt) return alert;
  return { ...alert, cleared: null, announcedAt };
}

/** Whether receivers must be sent a message about this change. */
export const isNews = (before: Alert | null, after: Alert): boolean =>
  after.announcedAt !== null &&
  (before?.announcedAt !== after.announcedAt || before.resolvedAt !== after.resolvedAt);

function fired(reading: AlertReading, now: number, isSilenced: boolean): Alert {
  const { kind, backend, namespace, name, since, sentence } = reading;
  return {
    kind,
    backend,
    namespace,
    name,
    since: Math.min(since, now),
    firedAt: now,
    cleared: null,
    resolvedAt: null,
    announcedAt: isSilenced ? null : now,
    sentence: sentence(),
  };
}
