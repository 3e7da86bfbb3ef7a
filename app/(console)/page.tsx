import type { Metadata } from 'next';
import { headers } from 'next/headers';
import { FIRST_LIMIT, listInput, readListQuery } from '@/components/locks/list-query';
import { LocksView } from '@/components/locks/locks-view';
import { openConsole } from '../open-console';
import { originOf } from '../origin-of';
import { type SearchParams, searchParamsOf } from '../search-params';

export const metadata: Metadata = { title: 'Locks' };

export default async function LocksPage({ searchParams }: { searchParams: SearchParams }) {
  const { caller } = await openConsole();
  const query = readListQuery(await searchParamsOf(searchParams));
  const page = await caller.locks.list(listInput(query, FIRST_LIMIT));
  return <LocksView initial={page} origin={originOf(await headers())} />;
}
