'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { Button } from '../ui/controls/button';
import { Panel } from '../ui/panel';
import { ProblemNote } from '../ui/problem-note';
import { RowsSkeleton } from '../ui/rows-skeleton';
import { problemOf } from './problem';

/** One page of a history, newest first; `older` is the cursor of the next. */
export interface HistoryPage<Row> {
  rows: Row[];
  older: string | null;
}

const FIRST_PAGE: string | null = null;

/** A history read page by page, and again a moment after its subject has changed. */
export function useHistoryPages<Row>(history: {
  queryKey: string[];
  /** `before` null: the newest page. */
  read: (before: string | null) => Promise<HistoryPage<Row>>;
  /** Null where the newest page could not be read for the first paint. */
  initial: HistoryPage<Row> | null;
  /** Reads again whenever this has moved, `afterMs` later. */
  rev: number;
  afterMs: number;
}) {
  const { queryKey, read, initial, rev, afterMs } = history;
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => read(pageParam),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (last: HistoryPage<Row>) => last.older,
    ...(initial && { initialData: { pages: [initial], pageParams: [FIRST_PAGE] } }),
  });
  const { refetch } = query;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new rev is what there is to read
  useEffect(() => {
    const timer = setTimeout(() => void refetch({ cancelRefetch: false }), afterMs);
    return () => clearTimeout(timer);
  }, [rev, refetch]);
  return { ...query, rows: query.data?.pages.flatMap((page) => page.rows) ?? [] };
}

/** A history, newest first, with its older pages behind a button. */
export function HistoryPanel<Row>({
  title,
  history: { data, error, rows, fetchNextPage, hasNextPage, isFetchingNextPage },
  end,
  children,
}: {
  title: string;
  history: ReturnType<typeof useHistoryPages<Row>>;
  end?: ReactNode;
  /** The rows, as items of a list. */
  children: ReactNode;
}) {
  const what = title.toLowerCase();
  return (
    <Panel title={title} aside="newest first" end={end}>
      {error && (
        <div className="p-3.5">
          <ProblemNote problem={problemOf(error)} title={`Could not load ${what}`} />
        </div>
      )}
      {!data && !error && <RowsSkeleton />}
      {data && rows.length === 0 && <p className="px-3.5 py-3 text-t2">No {what} yet.</p>}
      <ol>{children}</ol>
      {hasNextPage && (
        <div className="border-line border-t px-2 py-1.5">
          <Button
            tone="quiet"
            size="small"
            disabled={isFetchingNextPage}
            onClick={() => void fetchNextPage()}
          >
            {isFetchingNextPage ? 'Loading…' : 'Load older'}
          </Button>
        </div>
      )}
    </Panel>
  );
}
