import { readSessionCookie } from '../auth/session-cookie';
import { currentRuntime } from '../current-runtime';
import { createConsoleContext } from './console-context';
import { createConsoleCaller } from './console-procedure';
import { consoleRouter } from './console-router';
import { StreamSlots } from './stream-slots';

const callerOf = createConsoleCaller(consoleRouter);

/**
 * The console API within this process, for a page's first paint: queries only. Whoever asked for the page is whoever
 * calls, with the same permissions as over HTTP.
 *
 * @param headers of the page's request, as the page door gives them
 */
export function consoleCaller(headers: Headers) {
  const secure = headers.get('x-forwarded-proto') === 'https';
  return callerOf(
    createConsoleContext(currentRuntime(), {
      requestId: headers.get('x-request-id') ?? 'page',
      address: 'page',
      cookies: {
        session: readSessionCookie(headers.get('cookie'), secure),
        read: () => null,
        setSession: refuseToSet,
        set: refuseToSet,
      },
      streams: new StreamSlots(),
    }),
  );
}

function refuseToSet(): never {
  throw new Error('A page cannot set a cookie; only an answer of the API can.');
}
