'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { Panel } from '../ui/panel';
import { RowsSkeleton } from '../ui/rows-skeleton';
import { ReadFailureNote } from '../ui/unanswered/read-failure-note';
import { LoadOlder } from './load-older';

/** One page of a history, newest first; `older` is the cursor of the next. */
export interface HistoryPage<Row> {
  rows: Row[];
  older: string | null;
}

const FIRST_PAGE: string | null = null;

/**
 * When a history is read again after its subject has changed, until the change is in it. A change
 * is seen before its events can be read: usually by less than a second, and by several while
 * another process takes over maintenance.
 */
const READ_AFTER_MS = [300, 700, 1_500, 3_000, 6_000, 12_000];

/** A history that has news at every reading is read no more often than this. */
const NEWS_GAP_MS = 1_000;

/** A history read page by page, and again once its subject has changed. */
export function useHistoryPages<Row extends { rev: number }>(history: {
  queryKey: unknown[];
  /** `from` is a part of the query's input; empty: the newest page. */
  read: (from: { before?: string }) => Promise<HistoryPage<Row>>;
  /** Null where the newest page could not be read for the first paint. */
  initial: HistoryPage<Row> | null;
  /** The subject's present rev; the history is read again until it has a row of this rev. */
  rev: number;
}) {
  const { queryKey, read, initial, rev } = history;
  const query = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => read(pageParam === null ? {} : { before: pageParam }),
    initialPageParam: FIRST_PAGE,
    getNextPageParam: (last: HistoryPage<Row>) => last.older,
    ...(initial && { initialData: { pages: [initial], pageParams: [FIRST_PAGE] } }),
  });
  const { refetch } = query;
  const { data } = query;
  const rows = useMemo(() => data?.pages.flatMap((page) => page.rows) ?? [], [data]);
  const newestRev = useRef(0);
  newestRev.current = rows[0]?.rev ?? 0;
  const newsAt = useRef(Number.NEGATIVE_INFINITY);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a newer row is news
  useEffect(() => {
    newsAt.current = performance.now();
  }, [rows[0]?.rev]);
  useEffect(() => {
    const readUnlessCurrent = () => {
      if (newestRev.current >= rev || performance.now() - newsAt.current < NEWS_GAP_MS) return;
      void refetch({ cancelRefetch: false });
    };
    const timers = READ_AFTER_MS.map((afterMs) => setTimeout(readUnlessCurrent, afterMs));
    return () => timers.forEach(clearTimeout);
  }, [rev, refetch]);
  return { ...query, rows };
}

/** A history, newest first, with its older pages behind a button. */
export function HistoryPanel<Row extends { rev: number }>({
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
      <ReadFailureNote error={error} shown={data} what={what} className="p-3.5" />
      {!data && !error && <RowsSkeleton />}
      {data && rows.length === 0 && <p className="px-3.5 py-3 text-t2">No {what} yet.</p>}
      <ol>{children}</ol>
      {hasNextPage && (
        <LoadOlder isLoading={isFetchingNextPage} onLoad={() => void fetchNextPage()} />
      )}
    </Panel>
  );
}
