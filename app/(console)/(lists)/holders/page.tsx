import type { Metadata } from 'next';
import { HoldersView } from '@/components/holders/holders-view';
import { HOLDER_SEARCH_MAX } from '@/server/contract/console/waits/holder-rows';
import { openConsole } from '../../../console-api';
import { type SearchParams, searchParamsOf } from '../../../page-request';
import { pastPage } from '../../../past-page';

export const metadata: Metadata = { title: 'Holders' };

export default async function HoldersPage({ searchParams }: { searchParams: SearchParams }) {
  const { api } = await openConsole();
  const params = await searchParamsOf(searchParams);
  const search = params.get('q')?.slice(0, HOLDER_SEARCH_MAX) ?? '';
  const past = await pastPage(params, '/holders', async (at) => (
    <HoldersView key={at} initial={await api.holders.list.query({ at, search })} />
  ));
  if (past) return past;
  return <HoldersView initial={await api.holders.list.query({ search })} />;
}
