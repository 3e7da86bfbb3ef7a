import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { StartError } from '@/server/platform/start-error';
import { LockyardError } from '../../contract/errors';
import type { Runtime } from '../../operations/operation-context';
import type { PageHandler } from '../http/handlers/page-handler';
import { newRequestId, type RequestScope } from '../http/requests/request-scope';
import { PageAnswers } from './page-answers';
import { PageRoutes } from './page-routes';
import { PageRelay } from './process/page-relay';
import { PageSupervisor } from './process/page-supervisor';
import { listenPrivately, privateSockets } from './process/private-sockets';
import { StaticFiles } from './static-files';

export interface Pages {
  handle: PageHandler;
  close(): Promise<void>;
}

/**
 * Starts the process that renders pages. Returns their request handler and `close`.
 *
 * @param env the whole environment of that process
 * @param answerQuery answers its queries of the console API
 * @param ending aborts when this process shuts down, perhaps before the pages are ready
 * @throws StartError if it cannot be started; LockyardError `BACKEND_DOWN` if `ending` aborted
 *   first. Nothing is left open then
 */
export async function openPages(
  runtime: Runtime,
  env: NodeJS.ProcessEnv,
  answerQuery: (scope: RequestScope) => void,
  ending: AbortSignal,
): Promise<Pages> {
  const { config, clock, log } = runtime;
  const buildDir = join(process.cwd(), '.next');
  if (!existsSync(join(buildDir, 'BUILD_ID'))) {
    throw new StartError('The pages are not built. Start with: npm start');
  }
  const sockets = await privateSockets(config.dataDir);
  const console = createPrivateConsole(answerQuery);
  const supervisor = new PageSupervisor({
    entry: join(buildDir, 'lockyard/page-process.mjs'),
    sockets: { pagesSocket: sockets.pages, consoleSocket: sockets.console },
    env,
    clock,
    log,
  });
  const relay = new PageRelay(sockets.pages);
  const close = async () => {
    relay.close();
    await supervisor.close();
    console.closeAllConnections();
    await new Promise((resolve) => console.close(resolve));
    sockets.remove();
  };
  try {
    await listenPrivately(console, sockets.console);
    const prepare = async () => {
      const [files] = await Promise.all([StaticFiles.read(buildDir), supervisor.start()]);
      const routes = new PageRoutes(buildDir);
      const pages = new PageAnswers({ runtime, supervisor, relay, files, routes });
      await pages.prepare();
      return pages;
    };
    const pages = await Promise.race([prepare(), rejectOnAbort(ending)]);
    return { handle: (scope, nonce) => pages.answer(scope, nonce), close };
  } catch (error) {
    await close();
    throw error;
  }
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const refuse = () => reject(new LockyardError('BACKEND_DOWN', 'This server is ending.'));
    if (signal.aborted) refuse();
    else signal.addEventListener('abort', refuse, { once: true });
  });
}

/** Answers a request whose scope is known. Never throws. */
type ScopedHandler = (scope: RequestScope) => void;

/**
 * The console API for the page process, on a socket that only this user may open: queries with the
 * cookie of the page's request. Only here are the sent address, scheme and request id of the page's
 * request trusted.
 */
function createPrivateConsole(handle: ScopedHandler): Server {
  const server = createServer((req, res) => handle(privateScope(req, res)));
  // Its only caller keeps its connections open.
  server.keepAliveTimeout = 0;
  return server;
}

function privateScope(req: IncomingMessage, res: ServerResponse): RequestScope {
  const url = req.url ?? '/';
  const mark = url.indexOf('?');
  const { 'x-request-id': requestId, 'x-forwarded-for': address = '' } = req.headers;
  return {
    req,
    res,
    requestId: requestId ? String(requestId) : newRequestId(),
    address: String(address),
    isSecure: req.headers['x-forwarded-proto'] === 'https',
    pathname: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? '' : url.slice(mark + 1),
  };
}
