import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { StartError } from '@/server/platform/start-error';
import type { Runtime } from '../../operations/operation-context';
import type { PageHandler } from '../http/handlers/page-handler';
import { createPrivateConsole } from '../http/handlers/private-console';
import type { RequestScope } from '../http/requests/request-scope';
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
 * @throws StartError when it cannot be started
 */
export async function openPages(
  runtime: Runtime,
  env: NodeJS.ProcessEnv,
  answerQuery: (scope: RequestScope) => void,
): Promise<Pages> {
  const { config, clock, log } = runtime;
  const buildDir = join(process.cwd(), '.next');
  if (!existsSync(join(buildDir, 'BUILD_ID'))) {
    throw new StartError('The pages are not built. Start with: npm start');
  }
  const sockets = await privateSockets(config.dataDir);
  const console = createPrivateConsole(answerQuery);
  const keeper = new PageSupervisor({
    entry: join(buildDir, 'lockyard/page-process.mjs'),
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
    const [files] = await Promise.all([StaticFiles.read(buildDir), keeper.start()]);
    const pages = new PageAnswers({
      runtime,
      keeper,
      relay,
      files,
      routes: new PageRoutes(buildDir),
    });
    await pages.prepare();
    return { handle: (scope, nonce) => pages.answer(scope, nonce), close };
  } catch (error) {
    await close();
    throw error;
  }
}
