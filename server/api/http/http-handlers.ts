import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { LockyardError } from '../../contract/errors';
import type { CallerLimits } from '../../operations/caller-limits';
import type { Runtime } from '../../operations/operation-context';
import type { NetworkList } from '../../platform/network-list';
import { StreamSlots } from '../rpc/live-stream';
import { INTERNAL_MESSAGE } from '../rpc/refusal';
import { type CallableProcedure, serviceProcedures } from '../rpc/service/service-procedures';
import type { ConnectionPolicy } from './connections/connection-limit';
import { connectionMetrics } from './connections/connection-metrics';
import { OpenRequests } from './connections/open-requests';
import { UnreadConnections } from './connections/unread-connections';
import { AdmissionControl } from './handlers/admission';
import { CONSOLE_KINDS, CONSOLE_PREFIX, createConsoleHandler } from './handlers/console-handler';
import { createDemoHandler } from './handlers/demo-handler';
import { FastPath } from './handlers/fast-path';
import { createHealthHandlers } from './handlers/health-handler';
import { createMetricsHandler } from './handlers/metrics-handler';
import { createOpenApiHandler } from './handlers/openapi-handler';
import { createPageHandler, type PageHandler } from './handlers/page-handler';
import { createServiceHandler, SERVICE_PREFIX } from './handlers/service-handler';
import { FlatQueries } from './requests/flat-queries';
import { hasValidHost } from './requests/host-header';
import { refuse } from './requests/refuse';
import { openScope, type RequestScope } from './requests/request-scope';
import { RequestTally, requestMetrics } from './requests/request-tally';
import { setApiHeaders, setCommonHeaders } from './requests/security-headers';
import { hasSingleHeaders } from './requests/single-headers';
import { Routes } from './routes';
import { RequestScheduler } from './scheduling/request-scheduler';

/** Everything that this server answers, on one port. */
export interface HttpHandlers {
  /** The proxies whose forwarding headers are trusted. */
  readonly proxies: NetworkList;
  readonly limits: CallerLimits;
  readonly connections: ConnectionPolicy;
  /** Answers a request; never throws. */
  handle(req: IncomingMessage, res: ServerResponse): void;
  /** Answers a query of the page process; never throws. */
  handlePrivately(scope: RequestScope): void;
  /** Follows every request. */
  readonly requests: OpenRequests;
  /** Closes connections that do not read. */
  readonly unread: UnreadConnections;
  /** From now on the server reports that it is not ready, and asks callers to connect elsewhere. */
  startDraining(): void;
}

/**
 * @param pages serves everything outside `/api`; null for a server without pages
 * @param options `fastPath`: whether plain calls of the service API use the fast path, which
 *   affects only their cost. `procedures`: those of the service API. `scheduler`: decides the order
 *   of calls
 */
export function createHttpHandlers(
  runtime: Runtime,
  pages: PageHandler | null,
  {
    fastPath = true,
    procedures = serviceProcedures(),
    scheduler = new RequestScheduler(runtime.clock),
  }: {
    fastPath?: boolean;
    procedures?: readonly CallableProcedure[];
    scheduler?: RequestScheduler;
  } = {},
): HttpHandlers {
  const requests = new OpenRequests();
  const unread = new UnreadConnections(runtime.clock);
  const { trustedProxies: proxies } = runtime.config;
  let isDraining = false;
  const tally = tallyOf(runtime, procedures);
  const streams = new StreamSlots((message, retryAfterMs) =>
    runtime.limits.refuse('streams', message, retryAfterMs),
  );
  runtime.metrics.add(() => requestMetrics([...tally.series()]));
  runtime.metrics.add(() =>
    connectionMetrics({ openStreams: streams.open, unreadClosed: unread.closed }),
  );
  runtime.metrics.add(() => scheduler.tally.metrics());
  const known = new WeakSet<Socket>();
  const control = new AdmissionControl(runtime, scheduler, known);
  const flat = new FlatQueries(SERVICE_PREFIX);
  const fast = fastPath ? new FastPath(runtime, control, procedures) : null;
  const routes = new Routes({
    health: createHealthHandlers(runtime, () => isDraining),
    openApi: createOpenApiHandler(),
    service: createServiceHandler(runtime, control, procedures),
    console: createConsoleHandler(runtime, scheduler, streams),
    metrics: createMetricsHandler(runtime),
    demo: runtime.config.demo ? createDemoHandler(runtime) : null,
    page: createPageHandler(pages, scheduler),
  });

  const handleAny = (req: IncomingMessage, res: ServerResponse, body?: Buffer): void => {
    unread.follow(res);
    const scope = { ...openScope(req, res, proxies), ...(body && { body }) };
    setCommonHeaders(scope);
    if (isDraining) res.setHeader('Connection', 'close');
    const handler = hasValidHeaders(req) ? routes.of(scope.pathname) : refuseBadHeaders;
    handler(scope).catch((error: unknown) => answerFailure(runtime, scope, error));
  };

  return {
    proxies,
    requests,
    unread,
    limits: runtime.limits,
    connections: connectionPolicy(runtime, known),
    handle(req, res) {
      tally.follow(req, res);
      if (req.method === 'GET') req.url = flat.withInput(req.url ?? '/');
      if (isDraining || !fast?.take(req, res, handleAny)) handleAny(req, res);
    },
    handlePrivately(scope) {
      tally.follow(scope.req, scope.res);
      const handler = routes.privateOf(scope);
      handler(scope).catch((error: unknown) => answerFailure(runtime, scope, error));
    },
    startDraining() {
      isDraining = true;
      requests.closeAfterwards();
    },
  };
}

function tallyOf({ clock }: Runtime, procedures: readonly CallableProcedure[]): RequestTally {
  const serviceKinds = new Map(procedures.map(({ name, kind }) => [name, kind]));
  return new RequestTally(clock, {
    [SERVICE_PREFIX]: { api: 'service', kinds: serviceKinds },
    [CONSOLE_PREFIX]: { api: 'console', kinds: CONSOLE_KINDS },
  });
}

function connectionPolicy(
  { config, limits }: Runtime,
  known: Pick<WeakSet<Socket>, 'has'>,
): ConnectionPolicy {
  const most = config.limits.connections;
  const message = `This server has ${most} connections, which is the most that it takes.`;
  return {
    most,
    isKnown: (socket) => known.has(socket),
    refuse: () => limits.refuse('connections', message),
  };
}

/**
 * False for headers that Node would refuse without a reason, and for repeated ones, which it
 * accepts.
 */
function hasValidHeaders(req: IncomingMessage): boolean {
  const { expect } = req.headers;
  if (!hasValidHost(req) || !hasSingleHeaders(req)) return false;
  return expect === undefined || /^100-continue$/i.test(expect);
}

async function refuseBadHeaders(): Promise<void> {
  throw new LockyardError(
    'INVALID',
    'Send one valid Host, one Authorization at most, and no Expect but 100-continue.',
  );
}

function answerFailure(runtime: Runtime, { res, requestId }: RequestScope, error: unknown): void {
  if (!res.headersSent) setApiHeaders(res);
  if (error instanceof LockyardError) {
    refuse(res, error, { requestId });
    return;
  }
  runtime.log.error({ err: error, requestId }, 'A request failed');
  refuse(res, { reason: 'INTERNAL', message: INTERNAL_MESSAGE }, { requestId });
}
