import type { SentAlert } from '../../../core/alerts/alert-message';
import { ALERT_LABELS, alertTitle, datedSentence } from '../../../core/alerts/alert-sentence';
import { capital } from '../../../core/format/numbers';
import { alertLink } from './alert-link';

/** Alertmanager treats an alert as resolved unless it is sent again within this time. */
const FIRES_FOR_MS = 5 * 60_000;

/**
 * The body of a `POST /api/v2/alerts` to Alertmanager, where a firing alert ends if this process
 * and its successors stop sending it.
 *
 * @param origin of links to the console
 */
export function alertmanagerBody(
  alerts: readonly SentAlert[],
  { origin, now }: { origin: string; now: number },
): string {
  return JSON.stringify(alerts.map((alert) => alertBody(alert, origin, now)));
}

function alertBody(alert: SentAlert, origin: string, now: number) {
  const { kind, backend, namespace, name, firedAt, resolvedAt, sentence } = alert;
  return {
    labels: {
      alertname: `Lockyard${capital(kind)}`,
      backend,
      namespace,
      ...(name === null ? {} : { name }),
    },
    annotations: {
      summary: alertTitle(alert),
      description: sentence ? datedSentence(alert, now) : ALERT_LABELS[kind],
    },
    // Once the clock was set back, both can seem to be in the future.
    startsAt: instant(Math.min(firedAt, now)),
    endsAt: instant(resolvedAt === null ? now + FIRES_FOR_MS : Math.min(resolvedAt, now)),
    generatorURL: alertLink(alert, origin),
  };
}

const instant = (at: number) => new Date(at).toISOString();
