import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { listInput, readListQuery } from '@/components/locks/list/list-query';
import { FIRST_WINDOW } from '@/components/locks/list/list-window';
import { LocksView } from '@/components/locks/locks-view';
import { openConsole, readOrNull } from '../../console-api';
import { originOf, type SearchParams, searchParamsOf } from '../../page-request';

export const metadata: Metadata = { title: 'Locks' };

export default async function LocksPage({ searchParams }: { searchParams: SearchParams }) {
  const { api } = await openConsole();
  const query = readListQuery(await searchParamsOf(searchParams));
  const [page, fleet] = await Promise.all([
    api.locks.list.query(listInput(query, FIRST_WINDOW)),
    readOrNull(api.insights.fleet.query()),
  ]);
  return <LocksView initial={page} initialFleet={fleet} origin={originOf(await headers())} />;
}
