'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';

/** One page of a history, newest first; `older` is the cursor of the next. */
export interface HistoryPage<Row> {
  rows: Row[];
  older: string | null;
}

const FIRST_PAGE: string | null = null;

/**
 * A history read page by page, and again a moment after the thing it belongs to has changed: the
 * news of a change comes before its history can be read.
 */
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
