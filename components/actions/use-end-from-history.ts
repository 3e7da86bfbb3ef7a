'use client';

import { useQuery } from '@tanstack/react-query';
import type { EndCause } from '@/server/core/lock/lock-record';
import { useTRPC } from '../live/trpc';
import type { HoldEnd } from './hold-snapshot';

const CAUSES: Record<string, EndCause> = {
  released: 'released',
  expired: 'expired',
  forced: 'forced',
  late: 'released',
};

/**
 * How a hold ended, from the lock's history; null while that is not known.
 *
 * @param token of the hold; nothing is asked while it is undefined
 */
export function useEndFromHistory(
  { namespace, name }: { namespace: string; name: string },
  token: number | undefined,
): HoldEnd | null {
  const trpc = useTRPC();
  const { data } = useQuery(
    trpc.locks.events.queryOptions(
      { namespace, name, limit: 200 },
      { enabled: token !== undefined, staleTime: 0 },
    ),
  );
  const event = data?.rows.find((row) => row.token === token && CAUSES[row.kind] !== undefined);
  const cause = event && CAUSES[event.kind];
  if (token === undefined || !cause) return null;
  return {
    cause,
    at: event.at,
    ...(event.by !== null && { by: event.by }),
    ...(event.reason !== null && { reason: event.reason }),
  };
}
