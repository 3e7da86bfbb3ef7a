'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { usePathname, useSearchParams } from 'next/navigation';
import type { InsightRange } from '@/server/contract/console/insight-row';
import type { IncidentPage } from '@/server/contract/console/past/incident';
import type { Overview } from '@/server/contract/console/past/overview';
import { rangeUrl, readRange } from '../charts/chart-range';
import { refetchEvery, useTRPC } from '../live/trpc';
import { LatePart, loadUntilThere } from '../navigation/late-part';
import { useLoaded } from '../navigation/use-loaded';
import { pastHref } from '../past/past-address';
import { usePastAt } from '../past/past-at';
import { PageHead } from '../ui/page-head';
import { ReadNote, ReadsLostNote } from '../ui/unanswered/reads-note';
import { IncidentsPanel, useIncidents } from './incidents-panel';
import { OverviewSkeleton } from './overview-skeleton';
import { RangeButtons } from './range-buttons';

const REFETCH_EVERY_MS: Record<InsightRange, number> = {
  '1h': 10_000,
  '24h': 60_000,
  '7d': 5 * 60_000,
  '30d': 5 * 60_000,
};

const loadPanel = () => loadUntilThere(() => import('./overview-panel').then((all) => all.default));

/** The recorded past of all locks: figures over time, the most waited for, and incidents. */
export function InsightsView({
  initial,
  incidents: initialIncidents,
}: {
  /** Null where it could not be read for the first paint. */
  initial: Overview | null;
  incidents: IncidentPage | null;
}) {
  const incidents = useIncidents(initialIncidents);
  const range = readRange(useSearchParams());
  const pathname = usePathname();
  const at = usePastAt();
  const { part: OverviewPanel } = useLoaded(loadPanel, true);
  const trpc = useTRPC();
  const { data, error } = useQuery(
    trpc.insights.overview.queryOptions(
      { range, ...(at !== null && { at }) },
      {
        ...(initial?.range === range && { initialData: initial }),
        placeholderData: keepPreviousData,
        refetchInterval: (query) => refetchEvery(at === null && REFETCH_EVERY_MS[range], query),
      },
    ),
  );
  const choose = (next: InsightRange) =>
    window.history.replaceState(null, '', pastHref(rangeUrl(pathname, next), at));
  return (
    <div className="page">
      <PageHead
        title="Insights"
        end={<RangeButtons range={range} isPast={at !== null} onRange={choose} />}
      >
        What happened to all locks, and when they needed attention.
      </PageHead>
      <div className="insights-columns">
        <div className="min-w-0">
          <ReadNote read={{ data, error }} what="history" />
          {data && OverviewPanel ? (
            <OverviewPanel overview={data} at={at} />
          ) : (
            <LatePart>
              <OverviewSkeleton overview={data ?? null} at={at} />
            </LatePart>
          )}
        </div>
        <IncidentsPanel incidents={incidents} className="self-start" />
      </div>
      <ReadsLostNote reads={[{ data, error }, incidents]} />
    </div>
  );
}
