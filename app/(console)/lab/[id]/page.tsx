import type { Metadata } from 'next';
import { notFound } from 'next/navigation';
import { RunView } from '@/components/lab/run-view';
import { notFoundOr, openConsole } from '../../../console-api';

export const metadata: Metadata = { title: 'Strategy race' };

export default async function RunPage({ params }: { params: Promise<{ id: string }> }) {
  const { api } = await openConsole();
  const { id } = await params;
  if (!/^[A-Za-z0-9]{1,24}$/.test(id)) notFound();
  const run = await api.lab.run.query({ id }).catch(notFoundOr);
  return <RunView key={run.id} initial={run} />;
}
