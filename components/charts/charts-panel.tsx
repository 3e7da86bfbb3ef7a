'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { usePathname, useSearchParams } from 'next/navigation';
import { useCallback, useId } from 'react';
import type { InsightRange, LockInsight } from '@/server/contract/console/insight-row';
import type { LockRow } from '@/server/contract/console/lock-row';
import { spokenDuration, wholeSeconds } from '@/server/core/format/durations';
import { plural } from '@/server/core/format/numbers';
import { RangeButtons } from '../insights/range-buttons';
import { useAtBackend } from '../live/reading';
import { useSession } from '../live/session';
import { refetchEvery, useTRPC } from '../live/trpc';
import { heldMsOf } from '../locks/lock-facts';
import { useLoaded } from '../navigation/use-loaded';
import { Button } from '../ui/controls/button';
import { Panel } from '../ui/panel';
import { ReadFailureNote } from '../ui/unanswered/read-failure-note';
import { chartsSummary, hasHistory, isHistoryBehind } from './chart-labels';
import { RANGE_LABELS, rangeUrl, readRange, widerRange } from './chart-range';
import { ChartTable } from './chart-table';
import { ChartsSkeleton } from './charts-skeleton';

/**
 * The chart library is large, so it is loaded separately, and only where it is used. The page must
 * keep working if it cannot be loaded.
 */
const loadCharts = () => import('./lock-charts').then((all) => all.default);

/** A minute is long for a chart of an hour, and nothing for a chart of a month. */
const REFETCH_EVERY_MS: Record<InsightRange, number> = {
  '1h': 5_000,
  '24h': 30_000,
  '7d': 60_000,
  '30d': 60_000,
};

/** How often the history is read again while it lags behind the lock. */
const REFETCH_BEHIND_MS = 1_000;

/** A lock's grants, wait times and hold times: over time and in total. */
export function ChartsPanel({
  row,
  initial,
}: {
  row: LockRow;
  /** Null where it could not be read for the first paint. */
  initial: LockInsight | null;
}) {
  const { namespace, name } = row;
  const [range, setRange] = useChartRange();
  const trpc = useTRPC();
  const { data, error } = useQuery(
    trpc.insights.lock.queryOptions(
      { namespace, name, range },
      {
        ...(initial?.range === range && { initialData: initial }),
        placeholderData: keepPreviousData,
        refetchInterval: (query) => {
          const isBehind = query.state.data && isHistoryBehind(row, query.state.data);
          return refetchEvery(isBehind ? REFETCH_BEHIND_MS : REFETCH_EVERY_MS[range], query);
        },
      },
    ),
  );
  return (
    <Panel
      title="Wait and hold times"
      aside={data && <Age of={data} />}
      end={<RangeButtons range={range} onRange={setRange} />}
    >
      <ReadFailureNote error={error} shown={data} what="history" />
      {!data && <ChartsSkeleton />}
      {data && isHistoryBehind(row, data) && <NotCountedYet />}
      {data && !hasHistory(data) && !isHistoryBehind(row, data) && (
        <NoActivity range={data.range} onRange={setRange} />
      )}
      {data && hasHistory(data) && <Charts insight={data} row={row} />}
    </Panel>
  );
}

function Charts({ insight, row }: { insight: LockInsight; row: LockRow }) {
  const id = useId();
  const { part: Charts, isFailing: isLost } = useLoaded(loadCharts, true);
  const isHeld = row.hold !== null && row.status !== 'unknown' && row.status !== 'expired';
  const heldMs = useAtBackend(row, (now, _, lastAnswerAt) =>
    isHeld ? roundTo2Digits(heldMsOf(row, now, lastAnswerAt) ?? 0) : null,
  );
  const waitedMs = useAtBackend(row, (now) =>
    row.oldestWaitAt === null || row.status === 'unknown'
      ? null
      : roundTo2Digits(now - row.oldestWaitAt),
  );
  return (
    <>
      <figure aria-labelledby={id}>
        <figcaption id={id} className="sr-only">
          {chartsSummary(insight)}
        </figcaption>
        {Charts ? (
          <Charts insight={insight} heldMs={heldMs} waitedMs={waitedMs} />
        ) : (
          <>
            {isLost && (
              <p className="px-3.5 pt-3 text-t2">
                Could not load the charts, retrying… The table below shows the same data.
              </p>
            )}
            <ChartsSkeleton />
          </>
        )}
      </figure>
      <details className="insight-more">
        <summary>Show as table</summary>
        <ChartTable insight={insight} />
      </details>
    </>
  );
}

/** Rounded to two digits, so that charts are not redrawn for invisible changes. */
const roundTo2Digits = (ms: number) => Number(Math.max(0, ms).toPrecision(2));

const BUCKET_LABELS: Record<InsightRange, string> = {
  '1h': '1-min buckets',
  '24h': '10-min buckets',
  '7d': '1-h buckets',
  '30d': '4-h buckets',
};

function Age({ of: { asOf, range } }: { of: LockInsight }) {
  const lateMs = useAtBackend(null, (now) => {
    const ageMs = now - asOf;
    return ageMs < 2 * REFETCH_EVERY_MS[range] ? 0 : wholeSeconds(ageMs);
  });
  // In its place, since a longer text could take another line.
  return lateMs > 0 ? `updated ${spokenDuration(lateMs)} ago` : BUCKET_LABELS[range];
}

/** The lock itself shows what its history does not know yet. */
function NotCountedYet() {
  return (
    <p className="px-3.5 py-3">
      Latest events not counted yet.{' '}
      <span className="text-t3">They appear here within about a second.</span>
    </p>
  );
}

function NoActivity({
  range,
  onRange,
}: {
  range: InsightRange;
  onRange: (range: InsightRange) => void;
}) {
  const { retentionDays } = useSession();
  const wider = widerRange(range);
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3.5 py-2">
      <p>No activity in the {RANGE_LABELS[range].long}.</p>
      <p className="text-t3">History is kept for {plural(retentionDays.history, 'day')}.</p>
      {wider && (
        <Button size="small" onClick={() => onRange(wider)}>
          View {RANGE_LABELS[wider].long}
        </Button>
      )}
    </div>
  );
}

/** The range that the charts show, kept in the page's address; changing it sends Next nothing. */
function useChartRange(): [InsightRange, (range: InsightRange) => void] {
  const range = readRange(useSearchParams());
  const pathname = usePathname();
  const change = useCallback(
    (next: InsightRange) => window.history.replaceState(null, '', rangeUrl(pathname, next)),
    [pathname],
  );
  return [range, change];
}
