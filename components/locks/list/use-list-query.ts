'use client';

import { useSearchParams } from 'next/navigation';
import { useCallback, useMemo } from 'react';
import { type ListQuery, listUrl, readListQuery } from './list-query';

/** What the list shows, kept in the page's address; changing it asks nothing of Next. */
export function useListQuery(): [ListQuery, (part: Partial<ListQuery>) => void] {
  const params = useSearchParams();
  const query = useMemo(() => readListQuery(params), [params]);
  const change = useCallback((part: Partial<ListQuery>) => {
    const current = readListQuery(new URLSearchParams(window.location.search));
    window.history.replaceState(null, '', listUrl({ ...current, ...part }));
  }, []);
  return [query, change];
}
