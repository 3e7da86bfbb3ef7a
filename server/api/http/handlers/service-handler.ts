import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Runtime } from '../../../operations/operation-context';
import { createServiceContext, type ServiceContext } from '../../rpc/service/service-context';
import type { CallableProcedure } from '../../rpc/service/service-procedures';
import { createServiceRouter } from '../../rpc/service/service-router';
import { callerAddress } from '../requests/forwarded';
import type { Admission, AdmissionControl } from './admission';
import { HttpCallerConnection } from './caller-connection';
import { createTrpcHandler } from './trpc-handler';

export const SERVICE_PREFIX = '/api/v1/';

/** The service API, for programs: an API key in the header. Cookies are ignored. */
export function createServiceHandler(
  runtime: Runtime,
  control: AdmissionControl,
  procedures: readonly CallableProcedure[],
) {
  return createTrpcHandler<Admission>({
    prefix: SERVICE_PREFIX,
    router: createServiceRouter(procedures),
    kinds: new Map(procedures.map(({ name, kind }) => [name, kind])),
    log: runtime.log,
    admit: ({ req }, { path }, bytes) =>
      new Promise((resolve) => control.admit(req, path, bytes, resolve)),
    createContext: (scope, { isBatch }, admission) =>
      serviceContextOf(runtime, scope, { isBatch, admission }),
  });
}

export function serviceContextOf(
  runtime: Runtime,
  { req, res, requestId }: { req: IncomingMessage; res: ServerResponse; requestId: string },
  { isBatch, admission: { turn, actor } }: { isBatch: boolean; admission: Admission },
): ServiceContext {
  const address = callerAddress(req, runtime.config.trustedProxies);
  const connection = new HttpCallerConnection(res, turn);
  const request = { runtime, requestId, address, isBatch, connection };
  return createServiceContext(request, req.headers.authorization, actor);
}
