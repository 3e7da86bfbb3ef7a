import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Runtime } from '../../../operations/operation-context';
import { createServiceContext, type ServiceContext } from '../../rpc/service/service-context';
import type { CallableProcedure } from '../../rpc/service/service-procedures';
import { createServiceRouter } from '../../rpc/service/service-router';
import { callerAddress } from '../requests/forwarded';
import type { Admission, Admit } from './admission';
import { HttpCallerConnection } from './caller-connection';
import { createFastPath, type FastPathOptions } from './fast-path';
import { createTrpcHandler, logFailedCall } from './trpc-handler';

export const SERVICE_PREFIX = '/api/v1/';

/**
 * The service API, for programs: an API key in the header. Cookies are ignored. Nearly all calls
 * take the fast path; the others are left to tRPC. Both are made from the same procedures.
 */
export function createServiceHandlers(
  runtime: Runtime,
  admit: Admit,
  procedures: readonly CallableProcedure[],
) {
  const handle = createTrpcHandler<Admission>({
    prefix: SERVICE_PREFIX,
    router: createServiceRouter(procedures),
    kinds: new Map(procedures.map(({ name, kind }) => [name, kind])),
    log: runtime.log,
    admit: ({ req }, { path }, bytes) => new Promise((resolve) => admit(req, path, bytes, resolve)),
    createContext: (scope, { isBatch }, admission) =>
      serviceContextOf(runtime, scope, { isBatch, admission }),
  });
  /** @param otherwise answers a request that looked plain and was not */
  const createServiceFastPath = (otherwise: FastPathOptions['otherwise']) =>
    createFastPath({
      prefix: SERVICE_PREFIX,
      procedures,
      proxies: runtime.config.trustedProxies,
      admit,
      otherwise,
      contextOf: (call) =>
        serviceContextOf(runtime, call, { isBatch: false, admission: call.admission }),
      onError: (error, call) => logFailedCall(runtime.log, error, call),
    });
  return { handle, createFastPath: createServiceFastPath };
}

function serviceContextOf(
  runtime: Runtime,
  { req, res, requestId }: { req: IncomingMessage; res: ServerResponse; requestId: string },
  { isBatch, admission: { turn, actor } }: { isBatch: boolean; admission: Admission },
): ServiceContext {
  const address = callerAddress(req, runtime.config.trustedProxies);
  const connection = new HttpCallerConnection(res, turn);
  const request = { runtime, requestId, address, isBatch, connection };
  return createServiceContext(request, req.headers.authorization, actor);
}
