import type { Metadata } from 'next';
import { COUNTERS_SHOWN } from '@/components/counters/counter-limits';
import { CountersView } from '@/components/counters/counters-view';
import { openConsole } from '../../open-console';

export const metadata: Metadata = { title: 'Counters' };

export default async function CountersPage() {
  const { caller } = await openConsole();
  return <CountersView initial={await caller.counters.list({ limit: COUNTERS_SHOWN })} />;
}
