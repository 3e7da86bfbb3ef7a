import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Runtime } from '../../../operations/operation-context';
import { fastPathProcedure } from '../../rpc/service/direct-call';
import { createServiceContext, type ServiceContext } from '../../rpc/service/service-context';
import { serviceRouter } from '../../rpc/service/service-router';
import { callerAddress } from '../requests/forwarded';
import type { Admission, Admit } from './admission';
import { HttpCallerConnection } from './caller-connection';
import { createFastPath } from './fast-path';
import { logFailedCall } from './log-failed-call';
import { createTrpcHandler } from './trpc-handler';

export const SERVICE_PREFIX = '/api/v1/';

/** The service API, for programs: an API key in the header. Cookies are ignored. */
export function createServiceHandler(runtime: Runtime, admit: Admit) {
  return createTrpcHandler<Admission>({
    prefix: SERVICE_PREFIX,
    router: serviceRouter,
    log: runtime.log,
    admit: ({ req }, { path }, bytes) => new Promise((resolve) => admit(req, path, bytes, resolve)),
    createContext: (scope, { isBatch }, admission) =>
      serviceContextOf(runtime, scope, { isBatch, admission }),
  });
}

/**
 * The short cut for nearly all of its calls; what it does not take goes through the door itself.
 */
export function createServiceFastPath(
  runtime: Runtime,
  admit: Admit,
  otherwise: (req: IncomingMessage, res: ServerResponse, body: Buffer) => void,
) {
  return createFastPath({
    prefix: SERVICE_PREFIX,
    router: serviceRouter,
    proxies: runtime.config.trustedProxies,
    admit,
    otherwise,
    runnerOf(procedure) {
      const run = fastPathProcedure(procedure);
      return (
        run &&
        ((call, input) => {
          const { admission } = call;
          return run(serviceContextOf(runtime, call, { isBatch: false, admission }), input);
        })
      );
    },
    onError: (error, call) => logFailedCall(runtime.log, error, call),
  });
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
