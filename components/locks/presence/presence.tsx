'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, useCallback, useContext, useMemo } from 'react';
import type { LockRow } from '@/server/contract/console/lock-row';
import type { PresenceRow } from '@/server/contract/console/operator-answers';
import { notSaved, publishResult } from '../../actions/action-results';
import { problemOf } from '../../live/problem';
import { useSession } from '../../live/session';
import { useTRPC, useTRPCClient } from '../../live/trpc';
import { usePastAt } from '../../past/past-at';

/** How often the list of who is on which lock is read again. It needs no stream of its own. */
const POLL_MS = 2_000;

type Keyed = Pick<LockRow, 'namespace' | 'name'>;

/** Which user is working on which lock, by namespace and name. */
export type Presence = ReadonlyMap<string, PresenceRow>;

const keyOf = ({ namespace, name }: Keyed) => `${namespace}/${name}`;

export const PresenceContext = createContext<Presence>(new Map());

/**
 * Polls who is working on which lock; for `PresenceContext`, once per page. Empty for the past,
 * since it is not recorded.
 */
export function usePresence(): Presence {
  const trpc = useTRPC();
  const isPast = usePastAt() !== null;
  const { data } = useQuery(
    trpc.locks.presence.queryOptions(undefined, {
      enabled: !isPast,
      refetchInterval: POLL_MS,
      staleTime: POLL_MS,
    }),
  );
  return useMemo(() => presenceOf(data, isPast), [data, isPast]);
}

export const presenceOf = (rows: PresenceRow[] | undefined, isPast: boolean): Presence =>
  new Map(isPast ? [] : rows?.map((row) => [keyOf(row), row]));

/** Who is working on a lock; null: no user has said so. */
export function useOnIt(row: Keyed): PresenceRow | null {
  return useContext(PresenceContext).get(keyOf(row)) ?? null;
}

/** Toggles whether the signed-in user is working on a lock. */
export function useToggleOnIt(presence: Presence): (row: LockRow) => void {
  const client = useTRPCClient();
  const queries = useQueryClient();
  const key = useTRPC().locks.presence.queryKey();
  const { account } = useSession();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key never changes
  return useCallback(
    (row: LockRow) => {
      const ref = { namespace: row.namespace, name: row.name };
      const isMine = presence.get(keyOf(row))?.actor === account.name;
      const act = isMine
        ? client.locks.stepBack.mutate(ref)
        : client.locks.takeOn.mutate({ ...ref, token: row.hold?.token ?? null });
      const failed = (error: unknown) => publishResult(row.id, notSaved(problemOf(error)));
      act.catch(failed).finally(() => queries.invalidateQueries({ queryKey: key }));
    },
    [client, queries, presence, account.name],
  );
}
