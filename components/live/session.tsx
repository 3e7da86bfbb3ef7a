'use client';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useState,
} from 'react';
import { type RetentionDays, ROLES, type Role } from '@/server/contract/console/console-terms';
import { signInPath } from '@/server/core/paths/landing-path';
import { usePastAt } from '../past/past-at';
import { problemOf } from './problem';
import { useTRPC, useTRPCClient } from './trpc';

/** The signed-in user. The server decides permissions; pages only hide what it would refuse. */
export interface Account {
  id: string;
  name: string;
  role: Role;
}

/** What a page of the console is rendered with about its session. */
export interface SessionStart {
  account: Account;
  demo: boolean;
  /** The user is an admin whose connection crosses a network unencrypted. */
  unencrypted: boolean;
  retentionDays: RetentionDays;
  /** Where a trace is shown: a URL with `{traceId}` and perhaps `{spanId}`; null: nowhere. */
  traceUrl: string | null;
}

interface Session extends SessionStart {
  may: (role: Role) => boolean;
}

const SessionContext = createContext<Session | null>(null);

const CHECK_EVERY_MS = 60_000;

/** Provides the account, and opens the sign-in page when the session has ended. */
export function SessionProvider({ start, children }: { start: SessionStart; children: ReactNode }) {
  const { account, demo, unencrypted, retentionDays, traceUrl } = start;
  const trpc = useTRPC();
  const router = useRouter();
  const { data } = useQuery(
    trpc.session.current.queryOptions(undefined, {
      initialData: { user: account, setupNeeded: false, demo, unencrypted, retentionDays },
      staleTime: CHECK_EVERY_MS,
      refetchInterval: CHECK_EVERY_MS,
    }),
  );
  const isSignedOut = data.user === null;
  useEffect(() => {
    const { pathname, search } = window.location;
    if (isSignedOut) router.replace(signInPath(pathname, search.slice(1)));
  }, [isSignedOut, router]);

  const user = data.user ?? account;
  const isUnencrypted = data.unencrypted === true;
  const session = useMemo<Session>(
    () => ({
      account: user,
      demo,
      unencrypted: isUnencrypted,
      retentionDays,
      traceUrl,
      may: (role) => ROLES.indexOf(user.role) >= ROLES.indexOf(role),
    }),
    [user, demo, isUnencrypted, retentionDays, traceUrl],
  );
  return <SessionContext.Provider value={session}>{children}</SessionContext.Provider>;
}

/** The past cannot be changed. */
const mayOnlyRead: Session['may'] = (role) => role === 'viewer';

/** The signed-in user, who may only read while the page shows the past. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('useSession needs a SessionProvider around it.');
  const isPast = usePastAt() !== null;
  return useMemo(() => (isPast ? { ...session, may: mayOnlyRead } : session), [session, isPast]);
}

/** Signs out, and opens the sign-in page; `failure`: why the user is still signed in. */
export function useSignOut(): { signOut: () => Promise<void>; failure: string | null } {
  const client = useTRPCClient();
  const [failure, setFailure] = useState<string | null>(null);
  const signOut = async () => {
    setFailure(null);
    await client.session.signOut.mutate().then(
      () => window.location.assign('/sign-in'),
      (error: unknown) => setFailure(`You may still be signed in. ${problemOf(error).text}`),
    );
  };
  return { signOut, failure };
}

/** Checks whether the session is still valid; a broken stream does not say why it ended. */
export function useSessionCheck(): () => void {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const key = trpc.session.current.queryKey();
  return useCallback(() => void queries.invalidateQueries({ queryKey: key }), [queries, key]);
}
