import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AnyRouter, TRPCError } from '@trpc/server';
import { nodeHTTPRequestHandler } from '@trpc/server/adapters/node-http';
import type { Log } from '../../../platform/log';
import type { ProcedureKinds } from '../../rpc/procedure-kinds';
import { type CallType, refusalOf } from '../../rpc/refusal';
import { readBody } from '../requests/read-body';
import { refusalHeaders } from '../requests/refuse';
import type { RequestScope } from '../requests/request-scope';
import { setApiHeaders } from '../requests/security-headers';
import { refuseUnsafeKeys } from '../requests/unsafe-keys';
import type { ScheduledTurn } from '../scheduling/request-scheduler';
import { type ApiCall, examineCall } from './api-call';
import { refuseUnusedInputs } from './batch-inputs';

/**
 * How long a stream keeps its turn. Its first rows are expensive, and after a restart all pages
 * open their streams at the same time: opened one after another, they leave room for other work.
 */
const STREAM_TURN_MS = 40;

interface TrpcHandlerOptions<A extends { turn: ScheduledTurn }> {
  /** The prefix of its paths, such as `/api/v1/`. */
  prefix: string;
  router: AnyRouter;
  kinds: ProcedureKinds;
  log: Log;
  /** This API's own check before the body is read. Rejects with `LockyardError` to refuse. */
  examine?(scope: RequestScope, call: ApiCall): Promise<void>;
  /** The longest body of a call, in bytes. Absent: the general limit. */
  bodyMaxBytes?(call: ApiCall): number | undefined;
  /** Waits for a request's turn. `bytes` is the length of its body. */
  admit(scope: RequestScope, call: ApiCall, bytes: number): Promise<A>;
  /** The context for the router. Never throws: permissions are checked in the procedures. */
  createContext(scope: RequestScope, call: ApiCall, admission: A): object;
}

/**
 * Serves a router over HTTP: strict guards, then tRPC's own adapter. The caller's closed connection
 * aborts its calls.
 *
 * @throws LockyardError for a request that is refused before any procedure
 */
export function createTrpcHandler<A extends { turn: ScheduledTurn }>({
  prefix,
  router,
  kinds,
  log,
  examine,
  bodyMaxBytes,
  admit,
  createContext,
}: TrpcHandlerOptions<A>) {
  return async (scope: RequestScope): Promise<void> => {
    const { req, res, requestId } = scope;
    setApiHeaders(res);
    const call = examineCall(scope, prefix, kinds);
    await examine?.(scope, call);
    const body = await readBody(scope, bodyMaxBytes?.(call));
    if (body === null) return;
    const input = req.method === 'GET' ? queryInput(scope) : body;
    refuseUnsafeKeys(input);
    if (call.isBatch) refuseUnusedInputs(input, call.path.split(',').length);
    // A GET has no body, whatever its headers say.
    if (req.method === 'GET') delete req.headers['content-type'];
    const admission = await admit(scope, call, body.length);
    // The router would no longer notice that the page was closed, and would keep the stream open.
    if (call.isStream && res.destroyed) {
      admission.turn.end();
      return;
    }
    const answered = nodeHTTPRequestHandler<AnyRouter, IncomingMessage, ServerResponse>({
      router,
      req: Object.assign(req, { body }),
      res,
      path: encodeURIComponent(call.path),
      createContext: () => createContext(scope, call, admission),
      responseMeta: ({ errors, type }) => ({
        headers: new Headers(refusalHeaders(errors.map((error) => refusalOf(error, type)))),
      }),
      onError: ({ error, path, type }) => logFailedCall(log, error, { path, type, requestId }),
    });
    // A live stream lasts for as long as its page is open.
    if (call.isStream) setTimeout(() => admission.turn.end(), STREAM_TURN_MS).unref();
    await answered.finally(() => admission.turn.end());
  };
}

function queryInput({ query }: RequestScope): string {
  return new URLSearchParams(query).get('input') ?? '';
}

/** Logs an unexpected failure, of which the caller receives no details. */
export function logFailedCall(
  log: Log,
  error: TRPCError,
  { path, type, requestId }: { path: string | undefined; type: CallType; requestId: string },
): void {
  if (refusalOf(error, type).reason !== 'INTERNAL') return;
  log.error({ err: error.cause ?? error, requestId, procedure: path }, 'A call failed');
}
