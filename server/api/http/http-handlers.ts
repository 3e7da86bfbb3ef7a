import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { readSessionCookie } from '../../auth/sessions/cookie';
import { LockyardError } from '../../contract/errors';
import type { MetricFamily } from '../../monitoring/metrics/metrics';
import type { CallerLimits } from '../../operations/caller-limits';
import type { Runtime } from '../../operations/operation-context';
import type { NetworkList } from '../../platform/network-list';
import { createConsoleContext } from '../rpc/console/console-context';
import { consoleRouter } from '../rpc/console/console-router';
import { StreamSlots } from '../rpc/live-stream';
import { procedureKinds } from '../rpc/procedure-kinds';
import { INTERNAL_MESSAGE } from '../rpc/refusal';
import { type CallableProcedure, serviceProcedures } from '../rpc/service/service-procedures';
import type { ConnectionPolicy } from './connections/connection-limit';
import { OpenRequests } from './connections/open-requests';
import { UnreadConnections } from './connections/unread-connections';
import { AdmissionControl, unitsOf } from './handlers/admission';
import { createDemoHandler, DEMO_PATH } from './handlers/demo-handler';
import { FastPath } from './handlers/fast-path';
import { answerHealth, createReadiness } from './handlers/health-handler';
import { createMetricsHandler, METRICS_PATH } from './handlers/metrics-handler';
import { createOpenApiHandler, OPENAPI_PATH } from './handlers/openapi-handler';
import { createPageHandler, type PageHandler } from './handlers/page-handler';
import { createServiceHandler, SERVICE_PREFIX } from './handlers/service-handler';
import { createTrpcHandler } from './handlers/trpc-handler';
import { missingOriginComplaint } from './requests/cross-site';
import { FlatQueries } from './requests/flat-queries';
import { hasValidHost } from './requests/host-header';
import { HttpCookies } from './requests/http-cookies';
import { mayBeLong, OPEN_BODY_MAX_BYTES } from './requests/read-body';
import { refuse } from './requests/refuse';
import { openScope, type RequestScope } from './requests/request-scope';
import { RequestTally, requestMetrics } from './requests/request-tally';
import { setApiHeaders, setCommonHeaders } from './requests/security-headers';
import { hasSingleHeaders } from './requests/single-headers';
import { BUSY_CAPACITY, RequestScheduler } from './scheduling/request-scheduler';

type RouteHandler = (scope: RequestScope) => Promise<void>;

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
  const isReady = createReadiness(runtime);
  const health: Record<string, RouteHandler> = {
    '/api/health/live': async ({ res }) => answerHealth(res, true),
    '/api/health/ready': async ({ res }) => answerHealth(res, !isDraining && (await isReady())),
  };
  const tally = new RequestTally(runtime.clock, {
    [SERVICE_PREFIX]: {
      api: 'service',
      kinds: new Map(procedures.map(({ name, kind }) => [name, kind])),
    },
    [CONSOLE_PREFIX]: { api: 'console', kinds: CONSOLE_KINDS },
  });
  runtime.metrics.add(() => requestMetrics([...tally.series()]));
  const streams = new StreamSlots((message, retryAfterMs) =>
    runtime.limits.refuse('streams', message, retryAfterMs),
  );
  runtime.metrics.add(() =>
    connectionMetrics({ openStreams: streams.open, unreadClosed: unread.closed }),
  );
  const metrics = createMetricsHandler(runtime);
  const openApi = createOpenApiHandler();
  runtime.metrics.add(() => scheduler.tally.metrics());
  const known = new WeakSet<Socket>();
  const control = new AdmissionControl(runtime, scheduler, known);
  const service = createServiceHandler(runtime, control, procedures);
  const flat = new FlatQueries(SERVICE_PREFIX);
  const fast = fastPath ? new FastPath(runtime, control, procedures) : null;
  const console = createConsoleHandler(runtime, scheduler, streams);
  const page = createPageHandler(pages, scheduler);
  const demo = runtime.config.demo ? createDemoHandler(runtime) : page;

  const handlerOf = (pathname: string): RouteHandler => {
    if (!pathname.startsWith('/')) return refuseBadAddress;
    if (pathname === OPENAPI_PATH) return openApi;
    if (pathname.startsWith(SERVICE_PREFIX)) return service;
    if (pathname.startsWith(CONSOLE_PREFIX)) return console;
    if (pathname === '/api' || pathname.startsWith('/api/'))
      return health[pathname] ?? refuseUnknownPath;
    if (pathname === METRICS_PATH) return metrics;
    return pathname === DEMO_PATH ? demo : page;
  };

  const handleAny = (req: IncomingMessage, res: ServerResponse, body?: Buffer): void => {
    unread.follow(res);
    const scope = { ...openScope(req, res, proxies), ...(body && { body }) };
    setCommonHeaders(scope);
    if (isDraining) res.setHeader('Connection', 'close');
    const handler = hasValidHeaders(req) ? handlerOf(scope.pathname) : refuseBadHeaders;
    handler(scope).catch((error: unknown) => answerFailure(runtime, scope, error));
  };
  const privateHandlerOf = ({ req, pathname }: RequestScope): RouteHandler =>
    req.method === 'GET' && pathname.startsWith(CONSOLE_PREFIX) ? console : refuseUnknownPath;

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
      privateHandlerOf(scope)(scope).catch((error: unknown) =>
        answerFailure(runtime, scope, error),
      );
    },
    startDraining() {
      isDraining = true;
      requests.closeAfterwards();
    },
  };
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

const CONSOLE_PREFIX = '/api/trpc/';

const CONSOLE_KINDS = procedureKinds(consoleRouter);

/** Whether a call is about sessions; most of these are for callers without one. */
const isSessionCall = (path: string) => path.split(',').some((name) => name.startsWith('session.'));

/** The console API, for people: authenticated by a session cookie. API keys are ignored. */
function createConsoleHandler(
  runtime: Runtime,
  scheduler: RequestScheduler,
  streams: StreamSlots,
): RouteHandler {
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

async function refuseUnknownPath(): Promise<void> {
  throw new LockyardError('NOT_FOUND', 'There is nothing at this address.');
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

async function refuseBadAddress(): Promise<void> {
  throw new LockyardError('INVALID', 'The address must begin with "/".');
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

/** Open streams, and connections that were closed because their callers did not read. */
function connectionMetrics(figures: { openStreams: number; unreadClosed: number }): MetricFamily[] {
  return [
    {
      name: 'lockyard_open_streams',
      help: 'Live streams of the console that are open.',
      type: 'gauge',
      samples: [{ labels: {}, value: figures.openStreams }],
    },
    {
      name: 'lockyard_unread_connections_closed_total',
      help: 'Connections that were closed because their callers did not read their answers.',
      type: 'counter',
      samples: [{ labels: {}, value: figures.unreadClosed }],
    },
  ];
}
