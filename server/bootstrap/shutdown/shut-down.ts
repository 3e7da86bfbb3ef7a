import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { HttpHandlers } from '../../api/http/http-handlers';
import type { Runtime } from '../../operations/operation-context';

/** How long answers in progress may take once all waiters have been answered. */
const GRACE_MS = 5_000;
const CHECK_EVERY_MS = 20;

/** How long idle connections stay open, for requests that are on their way already. */
const LAST_REQUESTS_MS = 250;

/**
 * Shuts the process down cleanly: new connections are refused, requests that were sent a moment ago
 * are answered, waiters are answered `queued` and keep their position for a moment, answers in
 * progress are finished, and live streams are closed so that their pages connect elsewhere. Leases
 * remain.
 */
export async function shutDown(parts: {
  server: Server;
  handlers: HttpHandlers;
  runtime: Runtime;
  closePages: () => Promise<void>;
}): Promise<void> {
  const { server, handlers, runtime, closePages } = parts;
  handlers.startDraining();
  // An HTTP server's own `close` would end idle connections too, and what arrives on them.
  NetServer.prototype.close.call(server);
  runtime.projection.watches.drain();
  const draining = [...runtime.engines.values()].map((engine) => engine.drain());
  await Promise.allSettled([sleep(LAST_REQUESTS_MS), ...draining]);
  server.closeIdleConnections();
  const dueAt = runtime.clock.monotonic() + GRACE_MS;
  while (handlers.requests.unfinished > 0 && runtime.clock.monotonic() < dueAt) {
    await sleep(CHECK_EVERY_MS);
  }
  server.closeAllConnections();
  await closePages();
  await runtime.close();
}
