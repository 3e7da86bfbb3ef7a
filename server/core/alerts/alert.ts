import type { AlertRow, AlertSubject } from '../../contract/console/alerts/alert-row';

/** An alert is resolved once its rule has not been met for this long. */
export const ALERT_QUIET_MS = 30_000;

/** An alert whose rule is evaluated repeatedly. Instants are the server's clock. */
export interface Alert extends Omit<AlertRow, 'id'> {
  /**
   * Since when its rule is no longer met, also on the monotonic clock; null while it is met, and
   * after another process evaluated it.
   */
  cleared: { at: number; monotonicMs: number } | null;
}

/** A rule that is met now. */
export interface AlertReading extends AlertSubject {
  since: number;
  /** Makes the sentence of the alert when it fires. */
  sentence: () => string;
}

/** A key of the rule and its subject: at most one alert fires for each. */
export const alertKey = ({ kind, backend, namespace, name }: AlertSubject): string =>
  `${kind}/${backend}/${namespace}/${name ?? ''}`;

/** When an alert is evaluated, and what keeps it from being sent. */
interface AlertInstant {
  now: number;
  /** A clock that never steps, so that setting the wall clock resolves nothing. */
  monotonicMs: number;
  /** Called only for an alert that no receiver was sent yet. */
  isSilenced: () => boolean;
  /**
   * Whether it was announced, and no receiver was sent it: then a silence that begins now takes
   * that back. Absent: no.
   */
  isUnsent?: boolean;
}

/**
 * An alert after one more reading; null: there is none. The same object if nothing has changed. Do
 * not pass an alert with `resolvedAt` again: it has ended.
 *
 * @param reading null: its rule is certainly not met
 */
export function nextAlert(
  before: Alert | null,
  reading: AlertReading | null,
  { now, monotonicMs, isSilenced, isUnsent = false }: AlertInstant,
): Alert | null {
  if (!before) return reading && fired(reading, now, isSilenced());
  const alert = isUnsent && isSilenced() ? { ...before, announcedAt: null } : before;
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

/** Whether this change is news for receivers. */
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
