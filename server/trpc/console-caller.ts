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
      sessionCookie: readSessionCookie(headers.get('cookie'), secure),
      setSession() {
        throw new Error('A page cannot set a session; only an answer of the API can.');
      },
      streams: new StreamSlots(),
    }),
  );
}
