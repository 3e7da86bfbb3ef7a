import type { IncomingMessage, ServerResponse } from 'node:http';
import { LockyardError } from '../../../contract/errors';
import type { Runtime } from '../../../operations/operation-context';
import {
  createServiceContext,
  recognisedKey,
  type ServiceContext,
  verifyBearer,
} from '../../rpc/service/service-context';
import type { CallableProcedure } from '../../rpc/service/service-procedures';
import { createServiceRouter } from '../../rpc/service/service-router';
import { callerAddress } from '../requests/forwarded';
import { mayBeLong } from '../requests/read-body';
import type { RequestScope } from '../requests/request-scope';
import { serviceWork } from '../scheduling/call-class';
import type { Admission, AdmissionControl } from './admission';
import { HttpCallerConnection } from './caller-connection';
import { StreamHandler } from './stream-handler';
import { createTrpcHandler } from './trpc-handler';

export const SERVICE_PREFIX = '/api/v1/';

/**
 * The service API, for programs: authenticated by an API key in the header. Cookies are ignored.
 */
export function createServiceHandler(
  runtime: Runtime,
  control: AdmissionControl,
  procedures: readonly CallableProcedure[],
) {
  const { log } = runtime;
  const prefix = SERVICE_PREFIX;
  const admit = (req: IncomingMessage, path: string, bytes: number) =>
    new Promise<Admission>((resolve) => control.admit(req, serviceWork(path), bytes, resolve));
  const requireKeyForLongBody = async ({ req }: RequestScope, path: string) => {
    const { authorization } = req.headers;
    if (!mayBeLong(req) || recognisedKey(runtime, authorization)) return;
    const { turn } = await admit(req, path, 0);
    await verifyBearer(runtime, authorization).finally(() => turn.end());
  };
  const answer = createTrpcHandler<Admission>({
    prefix,
    router: createServiceRouter(procedures),
    kinds: new Map(procedures.map(({ name, kind }) => [name, kind])),
    log,
    async examine(scope, { path }) {
      refuseUnknownParameters(scope);
      await requireKeyForLongBody(scope, path);
    },
    admit: ({ req }, { path }, bytes) => admit(req, path, bytes),
    createContext: (scope, { path }, admission) =>
      // No call of a batch may wait, since all of them are answered together.
      serviceContextOf(runtime, scope, { isBatch: path.includes(','), admission }),
  });
  const streams = new StreamHandler({
    prefix,
    procedures,
    log,
    examine: requireKeyForLongBody,
    admit,
    createContext: (scope, admission) =>
      serviceContextOf(runtime, scope, { isBatch: false, admission }),
  });
  return (scope: RequestScope) => (streams.takes(scope) ? streams.answer(scope) : answer(scope));
}

/**
 * Refuses parameters besides `input` and `batch`: they would be ignored, mistyped names included.
 * Flat parameters have already been turned into one input.
 *
 * @throws LockyardError `INVALID`, naming the first
 */
function refuseUnknownParameters({ req, query }: RequestScope): void {
  const known = req.method === 'GET' ? ['batch', 'input'] : ['batch'];
  for (const name of new URLSearchParams(query).keys()) {
    if (known.includes(name)) continue;
    const what = req.method === 'GET' ? 'beside input' : 'of a command';
    throw new LockyardError('INVALID', `${name}: is not a parameter ${what}.`);
  }
}

export function serviceContextOf(
  runtime: Runtime,
  { req, res, requestId }: { req: IncomingMessage; res: ServerResponse; requestId: string },
  { isBatch, admission: { turn, actor } }: { isBatch: boolean; admission: Admission },
): ServiceContext {
  const address = callerAddress(req, runtime.config.trustedProxies);
  const connection = new HttpCallerConnection(res, turn);
  const { traceparent, authorization } = req.headers;
  const request = { runtime, requestId, address, isBatch, connection, traceparent, authorization };
  return createServiceContext(request, actor);
}
