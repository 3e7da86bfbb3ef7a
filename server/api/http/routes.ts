import { LockyardError } from '../../contract/errors';
import { CONSOLE_PREFIX } from './handlers/console-handler';
import { DEMO_PATH } from './handlers/demo-handler';
import { METRICS_PATH } from './handlers/metrics-handler';
import { OPENAPI_PATH } from './handlers/openapi-handler';
import { SERVICE_PREFIX } from './handlers/service-handler';
import type { RequestScope } from './requests/request-scope';

/** Answers a request, or rejects with the error to answer. */
type RouteHandler = (scope: RequestScope) => Promise<void>;

interface RouteHandlers {
  /** By path. */
  health: Readonly<Record<string, RouteHandler>>;
  openApi: RouteHandler;
  service: RouteHandler;
  console: RouteHandler;
  metrics: RouteHandler;
  /** Null: this server is no demo, so its address is a page. */
  demo: RouteHandler | null;
  /** Answers everything outside `/api`. */
  page: RouteHandler;
}

/** Which handler answers which address. */
export class Routes {
  constructor(private readonly handlers: RouteHandlers) {}

  of(pathname: string): RouteHandler {
    const { health, openApi, service, console, metrics, demo, page } = this.handlers;
    if (!pathname.startsWith('/')) return refuseBadAddress;
    if (pathname === OPENAPI_PATH) return openApi;
    if (pathname.startsWith(SERVICE_PREFIX)) return service;
    if (pathname.startsWith(CONSOLE_PREFIX)) return console;
    if (pathname === '/api' || pathname.startsWith('/api/'))
      return health[pathname] ?? refuseUnknownPath;
    if (pathname === METRICS_PATH) return metrics;
    return pathname === DEMO_PATH && demo ? demo : page;
  }

  /** For the page process, which only queries the console API. */
  privateOf({ req, pathname }: RequestScope): RouteHandler {
    const isQuery = req.method === 'GET' && pathname.startsWith(CONSOLE_PREFIX);
    return isQuery ? this.handlers.console : refuseUnknownPath;
  }
}

async function refuseUnknownPath(): Promise<void> {
  throw new LockyardError('NOT_FOUND', 'There is nothing at this address.');
}

async function refuseBadAddress(): Promise<void> {
  throw new LockyardError('INVALID', 'The address must begin with "/".');
}
