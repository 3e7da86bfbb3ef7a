'use client';

import { useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import { Icon } from '../../icons/icon';
import { useTRPC } from '../../live/trpc';
import { usePastAt } from '../../past/past-at';

/** How often the locks in deadlocks are read again. They need no stream of their own. */
const POLL_MS = 2_000;

type Keyed = Pick<LockRow, 'namespace' | 'name'>;

const keyOf = ({ namespace, name }: Keyed) => `${namespace}/${name}`;

const DeadlockedContext = createContext<ReadonlySet<string>>(new Set());

/** Polls which locks are part of a deadlock; not while the past is shown. */
export function DeadlockedProvider({ children }: { children: ReactNode }) {
  const isPast = usePastAt() !== null;
  const { data } = useQuery(
    useTRPC().waits.deadlocked.queryOptions(undefined, {
      enabled: !isPast,
      refetchInterval: POLL_MS,
      staleTime: POLL_MS,
    }),
  );
  const keys = useMemo(() => new Set(isPast ? [] : data?.map(keyOf)), [data, isPast]);
  return <DeadlockedContext value={keys}>{children}</DeadlockedContext>;
}

/** Whether a lock is waited for in a deadlock. */
export const useIsDeadlocked = (row: Keyed): boolean =>
  useContext(DeadlockedContext).has(keyOf(row));

/** In a row of the list: marks a lock that is waited for in a deadlock. */
export function DeadlockMark() {
  return (
    <span
      className="row-deadlock flex shrink-0 items-center gap-1 text-12 text-dangertext"
      title="Its holder waits, directly or not, for one of its own waiters. See Waits"
    >
      <Icon name="cycle" size={14} />
      in a deadlock
    </span>
  );
}
