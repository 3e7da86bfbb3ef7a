'use client';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { NamespaceRow } from '@/server/contract/console/namespace-row';
import { useTRPC } from '../live/trpc';
import { useIsHydrated } from '../live/use-is-hydrated';

const POLL_MS = 5_000;

/**
 * The namespaces, refetched every 5 s. The first result is what the server rendered: a dialog may
 * make the same query, and have newer counts, before the page is hydrated.
 *
 * @param initial null where they could not be read for the first paint
 */
export function useNamespaces(initial: NamespaceRow[] | null) {
  const trpc = useTRPC();
  const isHydrated = useIsHydrated();
  const { data, error } = useQuery(
    trpc.namespaces.list.queryOptions(undefined, {
      ...(initial && { initialData: initial }),
      refetchInterval: POLL_MS,
    }),
  );
  return { namespaces: isHydrated ? data : (initial ?? undefined), error };
}

/** The namespaces that a dialog offers. `failure` says why none are known. */
export function useNamespaceChoice() {
  const trpc = useTRPC();
  const { data, error, refetch } = useQuery(trpc.namespaces.list.queryOptions());
  return { namespaces: data, failure: useReadFailure(data, error), refetch };
}

/**
 * Why a query has no data: the error of its last attempt, also while the next one is under way.
 */
export function useReadFailure<E>(data: unknown, error: E | null): E | null {
  const [last, setLast] = useState(error);
  if (error !== null && error !== last) setLast(error);
  return data === undefined ? (error ?? last) : null;
}
