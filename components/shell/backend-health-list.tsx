'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import type { GuaranteeRow } from '@/server/contract/console/guarantee-row';
import type { BackendHealth } from '@/server/contract/console/lock-row';
import { spokenDuration } from '../format/durations';
import { Icon } from '../icons/icon';
import { useTRPC } from '../live/trpc';
import { isClosed, sortBySeverity } from './sort-by-severity';
import { useGuarantees } from './use-guarantees';

const POLL_MS = 5_000;
/** As many as the top bar has room for. */
const SHOWN_MAX = 4;

/**
 * The health of every backend, read again every 5 s; a page that hears of it earlier tells it here.
 */
export function useBackendsHealth(initial: BackendHealth[]) {
  const trpc = useTRPC();
  return useQuery(
    trpc.backends.list.queryOptions(undefined, {
      initialData: initial,
      refetchInterval: POLL_MS,
      staleTime: POLL_MS,
    }),
  );
}

/** Latency as a person reads it: tenths below ten. */
export const latencyText = (ms: number) => `${ms < 10 ? ms.toFixed(1) : Math.round(ms)}\u00a0ms`;

/** Which backends answer and grant, and how fast, in the top bar: those that do not come first. */
export function BackendHealthList({
  initial,
  initialGuarantees,
}: {
  initial: BackendHealth[];
  initialGuarantees: GuaranteeRow[];
}) {
  const { data, isError } = useBackendsHealth(initial);
  const { data: guarantees } = useGuarantees(initialGuarantees);
  const sorted = sortBySeverity(data, guarantees);
  const shown = sorted.slice(0, SHOWN_MAX);
  return (
    <ul className="backend-health flex items-center gap-4">
      {shown.map((backend) => (
        <li key={backend.id}>
          <BackendHealthLink
            backend={backend}
            isOld={isError}
            isClosed={isClosed(backend, guarantees)}
          />
        </li>
      ))}
      {sorted.length > SHOWN_MAX && (
        <li>
          <Link href="/backends" className="text-12 text-t2 hover:text-t1">
            {sorted.length - SHOWN_MAX} more
          </Link>
        </li>
      )}
    </ul>
  );
}

function BackendHealthLink({
  backend,
  isOld,
  isClosed,
}: {
  backend: BackendHealth;
  isOld: boolean;
  isClosed: boolean;
}) {
  const { id, reachable, loss } = backend;
  const isKnown = reachable && !isOld;
  const isGrantingPaused = isClosed || (loss?.quietForMs ?? 0) > 0;
  const isHealthy = isKnown && !isGrantingPaused;
  return (
    <Link
      href="/backends"
      data-well={isHealthy}
      className="flex items-center gap-1.5 rounded-4 text-12 whitespace-nowrap"
    >
      <Icon
        name={isHealthy ? 'check-circle' : isKnown ? 'alert-octagon' : 'question'}
        size={15}
        className={isHealthy ? 'text-acc' : isKnown ? 'text-dangertext' : 'text-unknown'}
      />
      <span className="font-[550]">{id}</span>
      <span className={isKnown && isGrantingPaused ? 'text-dangertext' : 'text-t2'}>
        {statusLabel(backend, isOld, isClosed)}
      </span>
    </Link>
  );
}

function statusLabel(
  { reachable, latencyMs, silentForMs, loss, refusal, shards }: BackendHealth,
  isOld: boolean,
  isClosed: boolean,
): string {
  if (isOld) return 'not read';
  if (!reachable && refusal && !shards) return 'refuses';
  if (!reachable) return `silent ${spokenDuration(silentForMs)}`;
  if (isClosed) return 'grants nothing';
  if (loss && loss.quietForMs > 0) {
    return `lost its memory, grants nothing for ${spokenDuration(loss.quietForMs)}`;
  }
  return latencyMs === null ? 'answers' : latencyText(latencyMs);
}
