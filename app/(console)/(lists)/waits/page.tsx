import type { Metadata } from 'next';
import { WaitsView } from '@/components/waits/waits-view';
import { openConsole, readOrNull } from '../../../console-api';
import { type SearchParams, searchParamsOf } from '../../../page-request';
import { pastPage } from '../../../past-page';

export const metadata: Metadata = { title: 'Waits' };

export default async function WaitsPage({ searchParams }: { searchParams: SearchParams }) {
  const { api } = await openConsole();
  const params = await searchParamsOf(searchParams);
  const past = await pastPage(params, '/waits', async (at) => (
    <WaitsView key={at} initial={await api.waits.graph.query({ at })} initialDeadlocks={null} />
  ));
  if (past) return past;
  const [graph, deadlocks] = await Promise.all([
    api.waits.graph.query(),
    readOrNull(api.waits.deadlocks.query()),
  ]);
  return <WaitsView initial={graph} initialDeadlocks={deadlocks} />;
}
