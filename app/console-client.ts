import { createTRPCClient, httpBatchLink } from '@trpc/client';
import type { ConsoleRouter } from '@/server/api/rpc/console/console-router';
import { fetchOverSocket } from './fetch-over-socket';

const URL = 'http://console/api/trpc';
/** The server takes no more calls in one request. */
const BATCH_MAX = 20;

/**
 * What the console API must know of the page's request to answer as it would answer its browser.
 */
const FORWARDED_HEADERS = ['cookie', 'x-forwarded-for', 'x-forwarded-proto', 'x-request-id'];

/**
 * The console API for a page's first paint: queries, with the cookie of the page's request and so
 * with the permissions of the person who asked for it.
 *
 * @param headers of the page's request, as the page process gives them
 */
export function consoleClient(headers: Headers) {
  const passedOn = FORWARDED_HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value] as const];
  });
  return createTRPCClient<ConsoleRouter>({
    links: [
      httpBatchLink({
        url: URL,
        maxItems: BATCH_MAX,
        headers: Object.fromEntries(passedOn),
        fetch: fetchOverSocket(headers),
      }),
    ],
  });
}
