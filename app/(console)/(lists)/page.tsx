import type { Metadata } from 'next';
import { headers } from 'next/headers';
import {
  isFiltered,
  type ListQuery,
  listInput,
  readListQuery,
  shownView,
} from '@/components/locks/list/list-query';
import { FIRST_WINDOW } from '@/components/locks/list/list-window';
import { LocksView } from '@/components/locks/locks-view';
import { type ConsoleApi, openConsole, readOrNull } from '../../console-api';
import { originOf, type SearchParams, searchParamsOf } from '../../page-request';
import { pastPage } from '../../past-page';

export const metadata: Metadata = { title: 'Locks' };

export default async function LocksPage({ searchParams }: { searchParams: SearchParams }) {
  const { api } = await openConsole();
  const params = await searchParamsOf(searchParams);
  const query = readListQuery(params);
  const past = await pastPage(params, '/', async (at) => {
    const page = await firstPage(api, query, { at });
    return <LocksView key={at} initial={page} initialFleet={null} origin="" />;
  });
  if (past) return past;
  const [page, fleet] = await Promise.all([
    firstPage(api, query),
    readOrNull(api.insights.fleet.query()),
  ]);
  return <LocksView initial={page} initialFleet={fleet} origin={originOf(await headers())} />;
}

/** The rows of the view in the address, or of the default view if it names none. */
async function firstPage(api: ConsoleApi, query: ListQuery, asOf: { at?: number } = {}) {
  const view = query.view ?? (isFiltered(query) ? 'all' : 'attention');
  const read = (of: typeof view) =>
    api.locks.list.query({ ...listInput({ ...query, view: of }, FIRST_WINDOW), ...asOf });
  const page = await read(view);
  const shown = shownView(query, page.attention);
  return shown === view ? page : read(shown);
}
