import type { AlertMessage, SentAlert } from '../../../core/alerts/alert-message';
import { messageSummary } from '../../../core/alerts/message-summary';
import { alertLink } from './alert-link';

/** The body of a signed webhook; see docs/alerts.md. @param origin of links to the console */
export function webhookBody(id: string, message: AlertMessage, origin: string): string {
  const { at, groups, firing, began, resolved, unlisted } = message;
  return JSON.stringify({
    id,
    at,
    summary: messageSummary(message),
    url: `${origin}/alerts`,
    firing,
    began,
    resolved,
    unlisted,
    groups: groups.map(({ alerts, ...group }) => ({
      ...group,
      alerts: alerts.map((alert) => alertBody(alert, origin)),
    })),
  });
}

function alertBody(alert: SentAlert, origin: string) {
  const { id, kind, backend, namespace, name, since, firedAt, resolvedAt, sentence } = alert;
  return {
    id,
    state: resolvedAt === null ? 'firing' : 'resolved',
    kind,
    backend,
    namespace,
    name,
    since: Math.floor(since),
    firedAt,
    resolvedAt,
    sentence,
    url: alertLink(alert, origin),
  };
}
