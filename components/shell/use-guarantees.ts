'use client';

import { useQuery } from '@tanstack/react-query';
import type { GuaranteeRow } from '@/server/contract/console/guarantee-row';
import { useTRPC } from '../live/trpc';

const POLL_MS = 5_000;

/**
 * What every backend can promise, asked for again every 5 s; the server reads their settings about
 * once a minute.
 */
export function useGuarantees(initial: GuaranteeRow[]) {
  const trpc = useTRPC();
  return useQuery(
    trpc.backends.guarantees.queryOptions(undefined, {
      initialData: initial,
      refetchInterval: POLL_MS,
      staleTime: POLL_MS,
    }),
  );
}

/** Whether a backend grants nothing at the moment, as far as the console shell knows. */
export function useIsClosed(id: string): boolean {
  return useClosedRow(id) !== null;
}

/** What is known of a backend that grants nothing at the moment; null while it grants. */
export function useClosedRow(id: string): GuaranteeRow | null {
  const trpc = useTRPC();
  const { data } = useQuery(
    trpc.backends.guarantees.queryOptions(undefined, { staleTime: POLL_MS }),
  );
  const isClosed = ({ backend, closedBecause }: GuaranteeRow) =>
    backend === id && closedBecause !== null;
  return data?.find(isClosed) ?? null;
}
