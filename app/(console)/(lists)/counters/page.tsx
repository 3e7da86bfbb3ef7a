import type { Metadata } from 'next';
import { COUNTERS_SHOWN, readCounterSearch } from '@/components/counters/counter-labels';
import { CountersView } from '@/components/counters/counters-view';
import { openConsole } from '../../../console-api';
import { type SearchParams, searchParamsOf } from '../../../page-request';
import { pastPage } from '../../../past-page';

export const metadata: Metadata = { title: 'Counters' };

export default async function CountersPage({ searchParams }: { searchParams: SearchParams }) {
  const { api } = await openConsole();
  const params = await searchParamsOf(searchParams);
  const past = await pastPage(params, '/counters', async (at) => {
    const page = await api.counters.list.query({ limit: COUNTERS_SHOWN, at });
    return <CountersView key={at} initial={page} />;
  });
  if (past) return past;
  const search = readCounterSearch(params).trim();
  const input = { limit: COUNTERS_SHOWN, ...(search && { search }) };
  return <CountersView initial={await api.counters.list.query(input)} />;
}
