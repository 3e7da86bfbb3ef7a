import { useQuery } from '@tanstack/react-query';
import { problemOf } from '../live/problem';
import { useTRPC } from '../live/trpc';
import { usePastAt } from '../past/past-at';

const POLL_MS = 2_000;

/**
 * Everything that one process holds and waits for, now or at the past instant that is shown. Once a
 * process holds and waits for nothing, it is not read again.
 */
export function useProcessDetail(id: string) {
  const trpc = useTRPC();
  const at = usePastAt();
  return useQuery({
    ...trpc.holders.process.queryOptions({ process: id, ...(at !== null && { at }) }),
    refetchInterval: ({ state: { error } }) =>
      at === null && problemOf(error).reason !== 'NOT_FOUND' && POLL_MS,
    retry: false,
  });
}
