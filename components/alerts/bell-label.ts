import type { AlertSummary } from '@/server/contract/console/alerts/alert-row';
import { exactCount, plural } from '@/server/core/format/numbers';

/**
 * The alerts in a few words.
 *
 * @param summary undefined: none was read yet
 * @param isStale the last attempt to read it failed
 */
export function alertsLabel(
  summary: Pick<AlertSummary, 'firing' | 'failing'> | undefined,
  isStale: boolean,
): string {
  if (!summary) return isStale ? 'Alerts: could not be read' : 'Alerts';
  const { firing, failing } = summary;
  const problem = failing > 0 ? `, ${plural(failing, 'receiver')} not reached` : '';
  return `Alerts: ${exactCount(firing)} firing${problem}${isStale ? ', last known' : ''}`;
}
