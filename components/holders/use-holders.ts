'use client';

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { HoldersPage } from '@/server/contract/console/waits/holder-rows';
import { problemOf } from '../live/problem';
import { useTRPC, useTRPCClient } from '../live/trpc';
import { useDebounced } from '../live/use-debounced';
import { type Live, useLive } from '../live/use-live';
import { usePastAt } from '../past/past-at';

/**
 * The processes that a text finds, live. While it is typed, the previous page stays, with the text
 * that it was searched for. `problem`: why a search of the past failed; null if it did not.
 */
export function useHolders(
  initial: HoldersPage,
  text: string,
): Live<HoldersPage> & { problem: string | null } {
  const client = useTRPCClient();
  const search = useDebounced(text.trim());
  const input = search === '' ? {} : { search };
  const live = useLive<HoldersPage>(search, initial, ({ onData, ...rest }) =>
    client.holders.watch.subscribe(input, {
      ...rest,
      onData: (message) => onData(message.data as HoldersPage),
    }),
  );
  const past = usePastHolders(initial, input);
  return { ...live, ...(past && { data: past.data }), problem: past?.problem ?? null };
}

/** The processes of the past that the page shows; null while it shows the present. */
function usePastHolders(initial: HoldersPage, input: { search?: string }) {
  const at = usePastAt();
  const trpc = useTRPC();
  const isInitial = (input.search ?? '') === initial.search;
  const { data, error } = useQuery(
    trpc.holders.list.queryOptions(
      { ...input, ...(at !== null && { at }) },
      {
        enabled: at !== null && !isInitial,
        placeholderData: keepPreviousData,
        staleTime: Infinity,
      },
    ),
  );
  if (at === null) return null;
  const found = isInitial ? initial : (data ?? initial);
  return { data: found, problem: isInitial || !error ? null : problemOf(error).text };
}
