'use client';

import { useQuery } from '@tanstack/react-query';
import type { BackendHealth } from '@/server/contract/console/backend-health';
import type { GuaranteeRow } from '@/server/contract/console/guarantee-row';
import { isUnread } from '../live/reading-store';
import { UNBATCHED, useTRPC } from '../live/trpc';
import { usePastAt } from '../past/past-at';

const POLL_MS = 5_000;

/** While one is being read for the first time, which mostly takes less than 5 s. */
const UNREAD_POLL_MS = 1_000;

const POLLED = { refetchInterval: POLL_MS, staleTime: POLL_MS };

/**
 * The health of every backend, refetched every 5 s. How long one has been silent counts on from
 * when the answer comes, so it must not wait for calls that ask that backend.
 */
export function useBackendsHealth(initialData: BackendHealth[]) {
  const { backends } = useTRPC();
  return useQuery(
    backends.list.queryOptions(undefined, {
      initialData,
      staleTime: POLL_MS,
      refetchInterval: ({ state }) => (state.data?.some(isUnread) ? UNREAD_POLL_MS : POLL_MS),
      ...UNBATCHED,
    }),
  );
}

/** The guarantees of every backend, refetched every 5 s; the server checks once a minute. */
export function useGuarantees(initialData: GuaranteeRow[]) {
  const { backends } = useTRPC();
  return useQuery(backends.guarantees.queryOptions(undefined, { initialData, ...POLLED }));
}

/** Whether grants are disabled on a backend, as far as the console shell knows. */
export function useIsClosed(id: string): boolean {
  return useClosedRow(id) !== null;
}

/**
 * The guarantees of a backend on which grants are disabled; null while they are enabled, and if the
 * page shows the past, for which this is not known.
 */
export function useClosedRow(id: string): GuaranteeRow | null {
  const trpc = useTRPC();
  const isPast = usePastAt() !== null;
  const { data } = useQuery(
    trpc.backends.guarantees.queryOptions(undefined, { staleTime: POLL_MS }),
  );
  const isClosed = ({ backend, closedBecause }: GuaranteeRow) =>
    backend === id && closedBecause !== null;
  return isPast ? null : (data?.find(isClosed) ?? null);
}
