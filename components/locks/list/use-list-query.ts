'use client';

import { useSearchParams } from 'next/navigation';
import { useCallback, useMemo, useState } from 'react';
import { type ListQuery, listUrl, readListQuery, shownView } from './list-query';

/**
 * What the list shows, kept in the page's address; changing it sends no request to Next.
 *
 * @param attention how many locks needed attention when the page was opened
 * @returns the query with the view that is shown, and how to change it
 */
export function useListQuery(attention: number): [ListQuery, (part: Partial<ListQuery>) => void] {
  const params = useSearchParams();
  const [opened] = useState(attention);
  const query = useMemo(() => {
    const said = readListQuery(params);
    return { ...said, view: shownView(said, opened) };
  }, [params, opened]);
  const change = useCallback((part: Partial<ListQuery>) => {
    const current = readListQuery(new URLSearchParams(window.location.search));
    window.history.replaceState(null, '', listUrl({ ...current, ...part }));
  }, []);
  return [query, change];
}
