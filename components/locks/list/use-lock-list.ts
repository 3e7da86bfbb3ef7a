'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { LockListInput } from '@/server/contract/console/console-inputs';
import type { LockPage } from '@/server/contract/console/lock-row';
import { useTRPC, useTRPCClient } from '../../live/trpc';
import { type Live, useLive } from '../../live/use-live';
import { usePastAt } from '../../past/past-at';
import { type ListNews, type ShownList, shownAfter } from './list-after';
import { type ListQuery, listInput, rowsKey } from './list-query';
import { FIRST_WINDOW, type ListWindow, windowFor } from './list-window';

/** Rows are loaded after this pause: those that are only scrolled past are not. */
const SCROLL_PAUSE_MS = 120;

/** During continuous scrolling rows are still loaded this often. */
const SCROLL_PAUSE_MAX_MS = 400;

/**
 * The lock list, live: the window of rows around those in view. After a lost connection it resumes
 * with the changes since the last message, if the server still has them.
 */
export function useLockList(
  initial: LockPage,
  query: ListQuery,
): Live<LockPage> & {
  /** The view of the page: the previous one until data of the present one has come. */
  view: string;
  /** Call it with the first and last position in view and the number of rows. */
  show: (first: number, last: number, count: number) => void;
} {
  const client = useTRPCClient();
  const view = rowsKey(query);
  const [wanted, setWanted] = useState({ view, window: FIRST_WINDOW });
  const window = wanted.view === view ? wanted.window : FIRST_WINDOW;
  const input = listInput(query, window);
  const key = JSON.stringify(input);
  const lastEvent = useRef<{ key: string; id: string } | null>(null);
  const live = useLive<ShownList, ListNews>(
    key,
    { page: initial, view },
    ({ onData, ...rest }) => {
      const from = lastEvent.current?.key === key ? { lastEventId: lastEvent.current.id } : {};
      return client.locks.watch.subscribe(
        { ...input, ...from },
        {
          ...rest,
          onData: ({ id, data }) => {
            lastEvent.current = { key, id };
            onData({ message: data, view });
          },
        },
      );
    },
    shownAfter,
  );
  const show = useWindowFollowing(window, view, setWanted);
  const { page, ...shown } = usePastList(initial, input, view) ?? live.data;
  return { ...live, ...shown, data: page, show };
}

/** The view of a list of the past that is being read. */
const TO_COME = 'to come';

/** The list of the past that the page shows; null while it shows the present. */
function usePastList(initial: LockPage, input: LockListInput, view: string): ShownList | null {
  const at = usePastAt();
  const trpc = useTRPC();
  const { data, isPlaceholderData } = useQuery(
    trpc.locks.list.queryOptions(
      { ...input, ...(at !== null && { at }) },
      { enabled: at !== null, placeholderData: keepPreviousData, staleTime: Infinity },
    ),
  );
  if (at === null) return null;
  return { page: data ?? initial, view: data && !isPlaceholderData ? view : TO_COME };
}

function useWindowFollowing(
  window: ListWindow,
  view: string,
  setWanted: (wanted: { view: string; window: ListWindow }) => void,
) {
  const latest = useRef({ window, view });
  useLayoutEffect(() => {
    latest.current = { window, view };
  });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const overdueAt = useRef(Number.POSITIVE_INFINITY);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(
    (first: number, last: number, count: number) => {
      clearTimeout(timer.current);
      const next = () => windowFor({ first, last }, latest.current.window, count);
      if (next() === latest.current.window) {
        overdueAt.current = Number.POSITIVE_INFINITY;
        return;
      }
      const now = performance.now();
      overdueAt.current = Math.min(overdueAt.current, now + SCROLL_PAUSE_MAX_MS);
      const pauseMs = Math.min(SCROLL_PAUSE_MS, Math.max(0, overdueAt.current - now));
      timer.current = setTimeout(() => {
        overdueAt.current = Number.POSITIVE_INFINITY;
        setWanted({ view: latest.current.view, window: next() });
      }, pauseMs);
    },
    [setWanted],
  );
}
