'use client';

import { useQuery } from '@tanstack/react-query';
import Link from 'next/link';
import type { BackendHealth } from '@/server/domain/lock-row';
import { spokenDuration } from '../format/durations';
import { Icon } from '../icons/icon';
import { useTRPC } from '../live/trpc';

const POLL_MS = 5_000;
/** As many as the top bar has room for. */
const SHOWN_MAX = 4;

/** The health of every backend, read again every 5 s; a page that hears of it earlier tells it here. */
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

/** Which backends answer, and how fast, in the top bar: silent ones first. */
export function BackendHealthList({ initial }: { initial: BackendHealth[] }) {
  const { data, isError } = useBackendsHealth(initial);
  const sorted = [...data].sort((a, b) => Number(a.reachable) - Number(b.reachable));
  const shown = sorted.slice(0, SHOWN_MAX);
  return (
    <ul className="backend-health flex items-center gap-4">
      {shown.map((backend) => (
        <li key={backend.id}>
          <OneBackend backend={backend} isOld={isError} />
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

function OneBackend({ backend, isOld }: { backend: BackendHealth; isOld: boolean }) {
  const { id, reachable, latencyMs, silentForMs } = backend;
  const isKnown = reachable && !isOld;
  return (
    <Link
      href="/backends"
      data-well={isKnown}
      className="flex items-center gap-1.5 rounded-4 text-12 whitespace-nowrap"
    >
      <Icon
        name={isKnown ? 'check-circle' : 'question'}
        size={15}
        className={isKnown ? 'text-acc' : 'text-unknown'}
      />
      <span className="font-[550]">{id}</span>
      <span className="text-t2">
        {isOld
          ? 'not read'
          : reachable
            ? latencyMs === null
              ? 'answers'
              : latencyText(latencyMs)
            : `silent ${spokenDuration(silentForMs)}`}
      </span>
    </Link>
  );
}
