import type { Metadata } from 'next';
import { AlertsView } from '@/components/alerts/alerts-view';
import { openConsole, readOrNull } from '../../../console-api';

export const metadata: Metadata = { title: 'Alerts' };

export default async function AlertsPage() {
  const { api } = await openConsole();
  return <AlertsView initial={await readOrNull(api.alerts.list.query())} />;
}
