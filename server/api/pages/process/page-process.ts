import { chmodSync } from 'node:fs';
import { createServer } from 'node:http';
import next from 'next';
import { createLog, type LogSettings } from '../../../platform/log';
import { ENDING_SIGNALS } from '../../../platform/process/ending-signals';
import {
  CONSOLE_SOCKET_HEADER,
  type PageProcessArguments,
  type PageProcessMessage,
  PING,
} from './page-process-protocol';

/**
 * The program that renders pages, as a child of the lock process. It has no state, opens no port
 * and has no secrets: each page queries the console API with the cookie of its own request. It
 * exits as soon as its parent has ended.
 */
async function start({ pagesSocket, consoleSocket }: PageProcessArguments): Promise<void> {
  const app = next({
    dev: false,
    dir: process.cwd(),
    hostname: 'localhost',
    quiet: true,
    // Next would otherwise register its upgrade listener on our server. This one never listens.
    httpServer: createServer(),
  });
  await app.prepare();
  const render = app.getRequestHandler();
  const server = createServer((req, res) => {
    req.headers[CONSOLE_SOCKET_HEADER] = consoleSocket;
    render(req, res).catch((err: unknown) => {
      log.error({ err }, 'A page could not be rendered');
      res.destroy();
    });
  });
  // The lock process keeps connections open, and decides how long it waits for a page.
  server.keepAliveTimeout = 0;
  server.requestTimeout = 0;
  process.umask(0o077);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(pagesSocket, resolve);
  });
  chmodSync(pagesSocket, 0o600);
  process.on('message', (message) => {
    if (message === PING) say({ residentBytes: process.memoryUsage.rss() });
  });
  say('ready');
}

function say(message: PageProcessMessage): void {
  process.send?.(message, undefined, undefined, () => undefined);
}

const [pagesSocket = '', consoleSocket = '', logSettings = '{}'] = process.argv.slice(2);
const log = createLog(undefined, JSON.parse(logSettings) as LogSettings);
// The channel closes however the parent ends. A terminal signals both processes, and the parent
// decides when this one ends.
process.on('disconnect', () => process.exit(0));
// If the parent ended while this was loading, the channel closed before the listener existed.
if (!process.connected) process.exit(0);
for (const signal of ENDING_SIGNALS) process.on(signal, () => undefined);

start({ pagesSocket, consoleSocket }).catch((err: unknown) => {
  log.fatal({ err }, 'The process that renders pages could not start');
  process.exit(1);
});
