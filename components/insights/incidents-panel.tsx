'use client';

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import type { IncidentPage } from '@/server/contract/console/past/incident';
import { exactCount, plural } from '@/server/core/format/numbers';
import { LoadOlder } from '../live/load-older';
import { useSession } from '../live/session';
import { refetchEvery, useTRPCClient } from '../live/trpc';
import { usePastAt } from '../past/past-at';
import { Panel } from '../ui/panel';
import { RowsSkeleton } from '../ui/rows-skeleton';
import { ReadNote } from '../ui/unanswered/reads-note';
import { IncidentList } from './incident-list';

const POLL_MS = 5_000;
const PAGE = 30;
const FIRST_PAGE: number | null = null;

/**
 * The incidents, page by page.
 *
 * @param initial null where the latest could not be read for the first paint
 */
export function useIncidents(initial: IncidentPage | null) {
  const client = useTRPCClient();
  const at = usePastAt();
  return useInfiniteQuery({
    queryKey: ['insights.incidents', at],
    queryFn: ({ pageParam }) =>
      client.insights.incidents.query({
        limit: PAGE,
        ...(at !== null && { until: at }),
        ...(pageParam !== null && { before: pageParam }),
      }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (last) => last.older,
    refetchInterval: (query) => refetchEvery(at === null && POLL_MS, query),
    placeholderData: keepPreviousData,
    ...(initial && { initialData: { pages: [initial], pageParams: [FIRST_PAGE] } }),
  });
}

/** All incidents, the latest first. */
export function IncidentsPanel({
  incidents: { data, error, hasNextPage, isFetchingNextPage, fetchNextPage },
  chosen = null,
  className = '',
}: {
  incidents: ReturnType<typeof useIncidents>;
  chosen?: number | null;
  className?: string;
}) {
  const { retentionDays } = useSession();
  const at = usePastAt();
  const rows = data?.pages.flatMap((page) => page.rows) ?? [];
  const first = data?.pages[0];
  return (
    <Panel
      title="Incidents"
      aside={
        first && at === null && (first.open > 0 ? `${exactCount(first.open)} open` : 'none open')
      }
      className={className}
    >
      <ReadNote read={{ data, error }} what="incidents" className="p-3.5" />
      {!data && !error && <RowsSkeleton />}
      {first && rows.length === 0 && (
        <p className="px-3.5 py-3 text-t2">
          {at === null
            ? `No incidents in the last ${plural(retentionDays.history, 'day')}.`
            : 'No incidents are recorded before this instant.'}{' '}
          One begins when a lock is stuck, orphaned or expired, or when its waits add up to more
          than 30&nbsp;s.
        </p>
      )}
      <IncidentList incidents={rows} now={first?.asOf ?? 0} chosen={chosen} />
      {hasNextPage && (
        <LoadOlder isLoading={isFetchingNextPage} onLoad={() => void fetchNextPage()} />
      )}
    </Panel>
  );
}
