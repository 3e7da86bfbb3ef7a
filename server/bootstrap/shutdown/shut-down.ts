import type { Server } from 'node:http';
import type { HttpHandlers } from '../../api/http/http-handlers';
import type { Runtime } from '../../operations/operation-context';

/** How long answers in progress may take once all waiters have been answered. */
const GRACE_MS = 5_000;
const CHECK_EVERY_MS = 20;

/**
 * Shuts the process down cleanly: new requests are refused, waiters are answered `queued` and keep
 * their position for a moment, answers in progress are finished, and live streams are closed so
 * that their pages connect elsewhere. Leases remain.
 */
export async function shutDown(parts: {
  server: Server;
  handlers: HttpHandlers;
  runtime: Runtime;
  closePages: () => Promise<void>;
}): Promise<void> {
  const { server, handlers, runtime, closePages } = parts;
  handlers.startDraining();
  server.close();
  server.closeIdleConnections();
  runtime.projection.watches.drain();
  await Promise.allSettled([...runtime.engines.values()].map((engine) => engine.drain()));
  const dueAt = runtime.clock.monotonic() + GRACE_MS;
  while (handlers.requests.unfinished > 0 && runtime.clock.monotonic() < dueAt) {
    await new Promise((resolve) => setTimeout(resolve, CHECK_EVERY_MS));
  }
  server.closeAllConnections();
  await closePages();
  await runtime.close();
}
