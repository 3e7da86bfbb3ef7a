import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { IncidentView } from '@/components/insights/incident-view';
import { incidentRef } from '@/server/contract/console/past/past-inputs';
import { notFoundOr, openConsole, readOrNull } from '../../../console-api';

export const metadata: Metadata = { title: 'Incident' };

export default async function IncidentPage({ params }: { params: Promise<{ id: string }> }) {
  const { api } = await openConsole();
  const ref = incidentRef.safeParse({ id: Number((await params).id) });
  if (!ref.success) notFound();
  const [detail, incidents] = await Promise.all([
    api.insights.incident.query(ref.data).catch(notFoundOr),
    readOrNull(api.insights.incidents.query({ limit: 30 })),
  ]);
  return <IncidentView key={ref.data.id} initial={detail} incidents={incidents} />;
}
