import type { AlertPage, AlertSummary } from '../../contract/console/alerts/alert-row';

/** The alerts in brief. One whose cause is known to be over does not count, even if unresolved. */
export function alertSummary({
  firingTotal,
  clearTotal: clear,
  receivers,
  asOf,
}: Omit<AlertPage, 'firing' | 'resolved' | 'silences'>): AlertSummary {
  const failing = receivers.filter(({ failure }) => failure !== null).length;
  return { firing: firingTotal - clear, clear, failing, asOf };
}
