import type { AlertRow, AlertSubject } from '../../contract/console/alerts/alert-row';

/** An alert is resolved when its rule was not met for this long. */
export const ALERT_QUIET_MS = 30_000;

/** An alert while its rule is evaluated again and again. Instants are the server's clock. */
export interface Alert extends Omit<AlertRow, 'id'> {
  /** Since when its rule is not met any more; null while it is. */
  clearedAt: number | null;
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
 * @param isSilenced is asked only of an alert that was not announced yet
 */
export function nextAlert(
  alert: Alert | null,
  reading: AlertReading | null,
  { now, isSilenced }: { now: number; isSilenced: () => boolean },
): Alert | null {
  if (!alert) return reading && fired(reading, now, isSilenced());
  if (!reading) {
    // If the clock was set back, the alert is not resolved later for that reason.
    const clearedAt = Math.min(now, alert.clearedAt ?? now);
    if (now - clearedAt >= ALERT_QUIET_MS) {
      return { ...alert, clearedAt, resolvedAt: Math.max(clearedAt, alert.firedAt) };
    }
    return alert.clearedAt === clearedAt ? alert : { ...alert, clearedAt };
  }
  const announcedAt = alert.announcedAt ?? (isSilenced() ? null : now);
  if (alert.clearedAt === null && alert.announcedAt === announcedAt) return alert;
  return { ...alert, clearedAt: null, announcedAt };
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
    clearedAt: null,
    resolvedAt: null,
    announcedAt: isSilenced ? null : now,
    sentence: sentence(),
  };
}
