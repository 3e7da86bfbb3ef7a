'use client';

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createTRPCClient,
  httpBatchLink,
  httpLink,
  httpSubscriptionLink,
  splitLink,
} from '@trpc/client';
import { createTRPCContext } from '@trpc/tanstack-react-query';
import { type ReactNode, useState } from 'react';
import type { ConsoleRouter } from '@/server/api/rpc/console/console-router';

const { TRPCProvider, useTRPC, useTRPCClient } = createTRPCContext<ConsoleRouter>();

export { useTRPC, useTRPCClient };

const URL = '/api/trpc';
/** The server accepts at most this many calls in one request. */
const BATCH_MAX = 20;
const RETRY_MS = 3_000;

/**
 * A request that has no answer by then will get none: the server answers an act within 5 s, and no
 * page sends more than four at a time.
 */
export const ANSWER_MAX_MS = 60_000;

/** Sends a request with a time limit: without one, a request that the network lost never ends. */
export async function fetchInTime(
  url: RequestInfo | URL | string,
  init: { signal?: AbortSignal | null | undefined } = {},
) {
  const given = init.signal;
  const limit = new AbortController();
  const stop = () => limit.abort(given?.reason);
  const timer = setTimeout(stop, ANSWER_MAX_MS);
  given?.addEventListener('abort', stop, { once: true });
  if (given?.aborted) stop();
  try {
    const answer = await fetch(url, { ...init, signal: limit.signal });
    const body: unknown = await answer.json();
    return { ok: answer.ok, json: async () => body };
  } finally {
    clearTimeout(timer);
    given?.removeEventListener('abort', stop);
  }
}

/**
 * Options of a query that is sent in a request of its own. The calls of one request are answered
 * together, once the slowest of them is.
 */
export const UNBATCHED = { trpc: { context: { isUnbatched: true } } };

/** The console's client: subscriptions are event streams, other calls share requests. */
export function createConsoleClient() {
  return createTRPCClient<ConsoleRouter>({
    links: [
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: httpSubscriptionLink({ url: URL }),
        false: splitLink({
          condition: ({ context }) => context.isUnbatched === true,
          true: httpLink({ url: URL, fetch: fetchInTime }),
          false: httpBatchLink({ url: URL, maxItems: BATCH_MAX, fetch: fetchInTime }),
        }),
      }),
    ],
  });
}

interface Fetched {
  state: { error: unknown };
}

/**
 * The interval of a query: as given, and short after a failure, so that a page need not be reloaded
 * once the server is back.
 *
 * @param everyMs false: only after a failure
 */
export function refetchEvery(everyMs: number | false, { state: { error } }: Fetched) {
  if (!error) return everyMs;
  return everyMs === false ? RETRY_MS : Math.min(everyMs, RETRY_MS);
}

function createQueries() {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        retry: 2,
        refetchOnWindowFocus: true,
        refetchInterval: (query) => refetchEvery(false, query),
      },
      mutations: { retry: false },
    },
  });
}

/** The console's connection to its server. Acts are never resent automatically. */
export function ConsoleClient({ children }: { children: ReactNode }) {
  const [queryClient] = useState(createQueries);
  const [trpcClient] = useState(createConsoleClient);
  return (
    <QueryClientProvider client={queryClient}>
      <TRPCProvider trpcClient={trpcClient} queryClient={queryClient}>
        {children}
      </TRPCProvider>
    </QueryClientProvider>
  );
}
