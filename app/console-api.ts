import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { createTRPCClient, httpBatchLink, TRPCClientError } from '@trpc/client';
import { headers } from 'next/headers';
import { notFound, redirect } from 'next/navigation';
import { cache } from 'react';
import { CONSOLE_SOCKET_HEADER } from '@/server/api/pages/process/page-process-protocol';
import type { ConsoleRouter } from '@/server/api/rpc/console/console-router';
import type { Reason } from '@/server/contract/errors';

/** The host is never resolved: requests go over the socket. */
const ORIGIN = 'http://console';
/** The server accepts at most this many calls in one request. */
const BATCH_MAX = 20;
const ANSWER_MAX_MS = 20_000;
/** How long a first paint waits for optional data. */
const SOON_MS = 300;

/** The headers of the page's request that decide how the console API answers it. */
const FORWARDED_HEADERS = ['cookie', 'x-forwarded-for', 'x-forwarded-proto', 'x-request-id'];

/** The console API for a signed-in user; others are redirected to the sign-in or setup page. */
export const openConsole = cache(async () => {
  const api = consoleClient(await headers());
  const { user, setupNeeded, demo, retentionDays, ...rest } = await api.session.current.query();
  if (user === null || !retentionDays) redirect(setupNeeded ? '/setup' : '/sign-in');
  const { traceUrl = null, unencrypted = false } = rest;
  return { api, user, demo, retentionDays, traceUrl, unencrypted };
});

export type ConsoleApi = ReturnType<typeof consoleClient>;

/**
 * The client of the console API for a page's first paint: queries only, with the cookie of the
 * page's request and so with the permissions of its user.
 */
function consoleClient(pageHeaders: Headers) {
  const forwarded = FORWARDED_HEADERS.flatMap((name) => {
    const value = pageHeaders.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return createTRPCClient<ConsoleRouter>({
    links: [
      httpBatchLink({
        url: `${ORIGIN}/api/trpc`,
        maxItems: BATCH_MAX,
        headers: Object.fromEntries(forwarded),
        fetch: fetchOverSocket(pageHeaders),
      }),
    ],
  });
}

/** For optional data of a first paint: null if unreadable; the page's own query then shows why. */
export function readOrNull<T>(reading: Promise<T>): Promise<T | null> {
  return reading.catch(() => null);
}

/**
 * For optional data of a first paint that can take seconds: null also if it is not read in time. It
 * needs a request of its own, since all answers of one request arrive together.
 */
export function readSoonOrNull<T>(reading: Promise<T>): Promise<T | null> {
  return Promise.race([readOrNull(reading), delay(SOON_MS, null, { ref: false })]);
}

/** For the subject of a page: 404 if it does not exist; every other error is thrown. */
export function notFoundOr(error: unknown): never {
  if (error instanceof TRPCClientError && reasonOf(error.data) === 'NOT_FOUND') notFound();
  throw error;
}

/** A subject whose backend has not answered since the server began: what the server says of it. */
export interface Unread {
  problem: string;
}

/** As `notFoundOr`, for a subject of a backend that may not answer. */
export function unreadOr(error: unknown): Unread {
  const isDown = error instanceof TRPCClientError && reasonOf(error.data) === 'BACKEND_DOWN';
  return isDown ? { problem: error.message } : notFoundOr(error);
}

const reasonOf = (data: { reason?: Reason } | undefined) => data?.reason;

const agent = new Agent({ keepAlive: true });

/**
 * A `fetch` from the lock process over the socket that a page's request names: GET only, the whole
 * answer in one piece. Node's own `fetch` cannot use sockets.
 */
function fetchOverSocket(pageHeaders: Headers) {
  const socketPath = pageHeaders.get(CONSOLE_SOCKET_HEADER) ?? '';
  return (address: unknown, init: { headers?: unknown } = {}): Promise<Response> => {
    const { pathname, search } = new URL(String(address));
    return new Promise((resolve, reject) => {
      const call = request({
        agent,
        socketPath,
        path: pathname + search,
        headers: (init.headers ?? {}) as Record<string, string>,
        signal: AbortSignal.timeout(ANSWER_MAX_MS),
      });
      call.once('response', (answer) => {
        const status = answer.statusCode ?? 0;
        text(answer).then((body) => resolve(new Response(body, { status })), reject);
      });
      call.once('error', reject);
      call.end();
    });
  };
}
