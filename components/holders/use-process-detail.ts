import { useQuery } from '@tanstack/react-query';
import { useTRPC } from '../live/trpc';
import { usePastAt } from '../past/past-at';

const POLL_MS = 2_000;

/**
 * Everything that one process holds and waits for, now or at the instant that is looked back to.
 */
export function useProcessDetail(id: string) {
  const trpc = useTRPC();
  const at = usePastAt();
  return useQuery({
    ...trpc.holders.process.queryOptions({ process: id, ...(at !== null && { at }) }),
    refetchInterval: at === null && POLL_MS,
    retry: false,
  });
}
