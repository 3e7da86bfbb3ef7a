import { createServer } from 'node:http';
import next from 'next';
import { StartError } from '@/db/start-error';
import type { PageHandler } from './http/page-door';

export interface Pages {
  handle: PageHandler;
  close(): Promise<void>;
}

/**
 * Makes the built pages ready to be served. They read the runtime of this process, so that must stand before one is
 * asked for. Throws `StartError` when they are not built.
 */
export async function openPages(host: string, port: number): Promise<Pages> {
  const app = next({
    dev: false,
    dir: process.cwd(),
    hostname: host,
    port,
    quiet: true,
    // Next listens for upgrades on the server that it is given, and else on ours. This one never listens for anything.
    httpServer: createServer(),
  });
  try {
    await app.prepare();
  } catch (cause) {
    throw new StartError('The pages are not built. Start with: npm start', { cause });
  }
  return { handle: app.getRequestHandler(), close: () => app.close() };
}
