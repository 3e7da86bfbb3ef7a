import { ALERT_KINDS } from '../../contract/console/alerts/alert-rules';
import type { SentAlert } from '../../core/alerts/alert-message';
import type { MetricFamily } from '../metrics/metrics';

/** Alerts and their messages, at the process that runs maintenance; 0 at others. */
export function alertMetrics(
  alerts: Iterable<SentAlert>,
  leftOut: number,
  attempts: readonly { receiver: string; accepted: number; failed: number }[],
): MetricFamily[] {
  const firing = new Map(ALERT_KINDS.map((kind) => [kind, 0]));
  for (const { kind, resolvedAt } of alerts) {
    if (resolvedAt === null) firing.set(kind, (firing.get(kind) ?? 0) + 1);
  }
  return [
    {
      name: 'lockyard_alerts_firing',
      help: 'Firing alerts, by kind. Reported by the process that runs maintenance: sum.',
      type: 'gauge',
      samples: [...firing].map(([kind, value]) => ({ labels: { kind }, value })),
    },
    {
      name: 'lockyard_alerts_left_out',
      help: 'Alerts that do not fire because 1,000 others do. Sum over processes.',
      type: 'gauge',
      samples: [{ labels: {}, value: leftOut }],
    },
    {
      name: 'lockyard_alert_messages_total',
      help: 'Attempts to send an alert message, by receiver. `result`: accepted or failed.',
      type: 'counter',
      samples: attempts.flatMap(({ receiver, accepted, failed }) => [
        { labels: { receiver, result: 'accepted' }, value: accepted },
        { labels: { receiver, result: 'failed' }, value: failed },
      ]),
    },
  ];
}
