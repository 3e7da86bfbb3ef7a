import type { Metadata } from 'next';
import { COUNTERS_SHOWN } from '@/components/counters/counter-labels';
import { CountersView } from '@/components/counters/counters-view';
import { openConsole } from '../../../console-api';

export const metadata: Metadata = { title: 'Counters' };

export default async function CountersPage() {
  const { api } = await openConsole();
  return <CountersView initial={await api.counters.list.query({ limit: COUNTERS_SHOWN })} />;
}
