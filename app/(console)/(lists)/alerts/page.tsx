import type { Metadata } from 'next';
import { AlertsView } from '@/components/alerts/alerts-view';
import { openConsole, readOrNull } from '../../../console-api';

export const metadata: Metadata = { title: 'Alerts' };

export default async function AlertsPage() {
  const { api } = await openConsole();
  const [initial, initialRules] = await Promise.all([
    readOrNull(api.alerts.list.query()),
    readOrNull(api.alerts.rules.query()),
  ]);
  return <AlertsView initial={initial} initialRules={initialRules} />;
}
