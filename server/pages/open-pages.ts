import { join } from 'node:path';
import { LockyardError } from '../domain/errors';
import { type PageHandler, plainAnswer } from '../http/page-door';
import { createPrivateConsole } from '../http/private-console';
import type { RequestScope } from '../http/request-scope';
import { pagePolicy } from '../http/security-headers';
import type { Runtime } from '../operations/operation-context';
import { landingOf } from './landing';
import { PageGate } from './page-gate';
import { PageKeeper } from './page-keeper';
import { PageProcessFailure, PageRelay } from './page-relay';
import { PageRoutes } from './page-routes';
import { listenPrivately, privateSockets } from './private-sockets';
import { refusePage } from './refuse-page';
import { isRouterState } from './router-state';

/** So many pages are rendered at once, and so many wait for that. */
const RENDERING_MAX = 4;
const QUEUED_MAX = 100;
/** Of pages that were rendered and are not read; beyond that none is rendered. */
const UNREAD_MAX_BYTES = 32 * 1024 * 1024;
/** Tells Next which parts of a page its caller has already. */
const ROUTER_STATE = 'next-router-state-tree';

export interface Pages {
  handle: PageHandler;
  close(): Promise<void>;
}

/**
 * Starts the process that renders the pages, and answers what shows them.
 *
 * @param env the whole environment of that process
 * @param answerQuery answers its queries of the console API
 * @throws StartError when it cannot be started
 */
export async function openPages(
  runtime: Runtime,
  env: NodeJS.ProcessEnv,
  answerQuery: (scope: RequestScope) => void,
): Promise<Pages> {
  const { config, clock, log } = runtime;
  const sockets = await privateSockets(config.dataDir);
  const console = createPrivateConsole(answerQuery);
  const keeper = new PageKeeper({
    entry: join(process.cwd(), '.next/lockyard/page-process.mjs'),
    sockets: { pagesSocket: sockets.pages, consoleSocket: sockets.console },
    env,
    clock,
    log,
  });
  const relay = new PageRelay(sockets.pages);
  const close = async () => {
    relay.close();
    await keeper.close();
    console.closeAllConnections();
    await new Promise((resolve) => console.close(resolve));
    sockets.remove();
  };
  try {
    await listenPrivately(console, sockets.console);
    await keeper.start();
  } catch (error) {
    await close();
    throw error;
  }
  return { handle: answerPages(runtime, keeper, relay), close };
}

function answerPages(runtime: Runtime, keeper: PageKeeper, relay: PageRelay): PageHandler {
  const routes = new PageRoutes(join(process.cwd(), '.next'));
  const render = renderBy(keeper, relay);
  return async (scope, nonce) => {
    const { req, res, pathname } = scope;
    if (!routes.has(pathname)) {
      delete req.headers[ROUTER_STATE];
      return render(scope, nonce);
    }
    if (!isRouterState(req.headers[ROUTER_STATE])) {
      return plainAnswer(res, 400, `The header ${ROUTER_STATE} is broken.`);
    }
    try {
      const landing = await landingOf(runtime, scope);
      if (landing === null) await render(scope, nonce);
      else res.writeHead(307, { Location: landing, 'Cache-Control': 'no-store' }).end();
    } catch (error) {
      if (!(error instanceof LockyardError)) throw error;
      refusePage(res, 'away');
    }
  };
}

function renderBy(keeper: PageKeeper, relay: PageRelay): PageHandler {
  const gate = new PageGate(RENDERING_MAX, QUEUED_MAX);
  return async (scope, nonce) => {
    const { res } = scope;
    if (!keeper.isUp) return refusePage(res, 'down');
    if (relay.unreadBytes > UNREAD_MAX_BYTES) return refusePage(res, 'full');
    const leave = await gate.enter(goneSignal(scope));
    if (leave === null) return refusePage(res, 'full');
    try {
      await relay.relay(scope, pagePolicy(nonce));
    } catch (error) {
      if (!(error instanceof PageProcessFailure)) throw error;
      refusePage(res, 'down');
    } finally {
      leave();
    }
  };
}

function goneSignal({ res }: RequestScope): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  return gone.signal;
}
