'use client';

import { useQuery } from '@tanstack/react-query';
import type { FleetNow } from '@/server/contract/console/insight-row';
import { useTRPC } from '../../live/trpc';

/** How often the figures of the last hour are read again. They need no stream of their own. */
const FLEET_EVERY_MS = 2_000;

/**
 * The figures of the last hour.
 *
 * @param initial null where they could not be read for the first paint
 */
export function useFleet(
  initial: FleetNow | null,
  isRead: boolean,
): { fleet: FleetNow | null; isFleetLost: boolean } {
  const trpc = useTRPC();
  const { data: fleet = null, isError: isFleetLost } = useQuery(
    trpc.insights.fleet.queryOptions(undefined, {
      ...(initial && { initialData: initial }),
      enabled: isRead,
      refetchInterval: FLEET_EVERY_MS,
    }),
  );
  return { fleet, isFleetLost };
}
