import { readSessionCookie } from '../../../auth/sessions/cookie';
import { LockyardError } from '../../../contract/errors';
import type { Runtime } from '../../../operations/operation-context';
import { createConsoleContext } from '../../rpc/console/console-context';
import { consoleRouter } from '../../rpc/console/console-router';
import type { StreamSlots } from '../../rpc/live-stream';
import { procedureKinds } from '../../rpc/procedure-kinds';
import { missingOriginComplaint } from '../requests/cross-site';
import { HttpCookies } from '../requests/http-cookies';
import { mayBeLong, OPEN_BODY_MAX_BYTES } from '../requests/read-body';
import type { RequestScope } from '../requests/request-scope';
import { BUSY_CAPACITY, type RequestScheduler } from '../scheduling/request-scheduler';
import { unitsOf } from './admission';
import { createTrpcHandler } from './trpc-handler';

export const CONSOLE_PREFIX = '/api/trpc/';

export const CONSOLE_KINDS = procedureKinds(consoleRouter);

/** Whether a call is about sessions; most of these are for callers without one. */
const isSessionCall = (path: string) => path.split(',').some((name) => name.startsWith('session.'));

/** The console API, for people: authenticated by a session cookie. API keys are ignored. */
export function createConsoleHandler(
  runtime: Runtime,
  scheduler: RequestScheduler,
  streams: StreamSlots,
): (scope: RequestScope) => Promise<void> {
  return createTrpcHandler({
    prefix: CONSOLE_PREFIX,
    router: consoleRouter,
    kinds: CONSOLE_KINDS,
    log: runtime.log,
    async examine(scope, { path }) {
      const { req, address, isSecure } = scope;
      const complaint = missingOriginComplaint(req.method, req.headers);
      if (complaint !== null) throw new LockyardError('FORBIDDEN', complaint);
      if (isSessionCall(path) || !mayBeLong(req)) return;
      const turn = await scheduler.turn('console', address, 1);
      const cookie = readSessionCookie(req.headers.cookie, isSecure);
      const actor = await runtime.sessions.resolve(cookie).finally(() => turn.end());
      if (actor === null) throw new LockyardError('UNAUTHENTICATED', 'Sign in first.');
    },
    bodyMaxBytes: ({ path }) => (isSessionCall(path) ? OPEN_BODY_MAX_BYTES : undefined),
    async admit({ address }, { path, isStream }, bytes) {
      const units = isStream ? BUSY_CAPACITY : unitsOf(path.split(',').length, bytes);
      return { turn: await scheduler.turn('console', address, units) };
    },
    createContext: (scope) =>
      createConsoleContext(runtime, {
        requestId: scope.requestId,
        address: scope.address,
        isSecure: scope.isSecure,
        userAgent: scope.req.headers['user-agent'],
        streams,
        cookies: new HttpCookies(scope),
      }),
  });
}
