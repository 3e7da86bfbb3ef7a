import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartError } from '@/server/platform/start-error';
import { BrokenRequests } from './connections/broken-request';
import { ConnectionLimit } from './connections/connection-limit';
import type { HttpHandlers } from './http-handlers';
import { serialiseRequests } from './serialise-requests';

/** Room for a batch of queries, whose inputs are in the address. Limits the headers too. */
const HEADER_MAX_BYTES = 64 * 1024;
const HEADER_MAX_MS = 10_000;
const REQUEST_MAX_MS = 20_000;
/** How often Node checks for connections that exceed either; its default is 30 s. */
const CHECK_EVERY_MS = 1_000;
/** Longer than callers keep idle connections, so that this server rarely closes one in use. */
const KEEP_ALIVE_MS = 65_000;

/**
 * The one server of this process. It has no listener for upgrades on purpose: a request that offers
 * an upgrade is answered as the plain request that it also is, which HTTP/2-capable clients rely
 * on; the handlers refuse WebSockets. They also refuse, with a reason, what Node would refuse
 * without one: a missing `Host`, and an unknown `Expect`.
 *
 * @param limits how long a request may take to arrive, and how often Node checks for slower ones
 */
export function createHttpServer(
  handlers: HttpHandlers,
  limits: { requestMaxMs?: number; checkEveryMs?: number } = {},
): Server {
  const { requestMaxMs = REQUEST_MAX_MS, checkEveryMs = CHECK_EVERY_MS } = limits;
  const { requests } = handlers;
  const connections = new ConnectionLimit(handlers.connections, requests);
  const handleSerially = serialiseRequests(handlers);
  const handle: RequestListener = (req, res) => {
    if (connections.isTurnedAway(req.socket)) return;
    requests.follow(req, res);
    handleSerially(req, res);
  };
  const server = createServer(
    {
      maxHeaderSize: HEADER_MAX_BYTES,
      headersTimeout: Math.min(HEADER_MAX_MS, requestMaxMs),
      requestTimeout: requestMaxMs,
      connectionsCheckingInterval: checkEveryMs,
      keepAliveTimeout: KEEP_ALIVE_MS,
      requireHostHeader: false,
    },
    handle,
  );
  // Node would drop headers after the first thousand: a proxy adds its own at the end.
  server.maxHeadersCount = 0;
  server.on('connection', connections.admit);
  handlers.unread.watch(server);
  server.on('checkExpectation', handle);
  const broken = new BrokenRequests(requests);
  server.on('clientError', broken.refuse);
  server.on('connect', broken.refuseTunnel);
  return server;
}

/**
 * The accept backlog, as far as the operating system allows. With Node's 511, some of thousands of
 * clients that connect at the same time would have to wait for a TCP retransmission.
 */
const ACCEPT_BACKLOG = 4_096;

/** Starts listening; returns the address for a browser. Throws `StartError` with the reason. */
export async function listen(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new StartError(cannotListen(error, port, host), { cause: error })),
    );
    server.listen({ port, host, backlog: ACCEPT_BACKLOG }, resolve);
  });
  return browserAddress(server.address() as AddressInfo);
}

/**
 * Refuses a port on which this process cannot listen, with the same `StartError` as `listen`, and
 * leaves nothing open. Another process may still take the port afterwards.
 */
export async function tryPort(port: number, host: string): Promise<void> {
  const server = createServer();
  await listen(server, port, host);
  await new Promise((resolve) => server.close(resolve));
}

function cannotListen(
  { code, message }: NodeJS.ErrnoException,
  port: number,
  host: string,
): string {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${port} on ${host} is already in use. Choose another with PORT.`;
    case 'EACCES':
      return `This user may not listen on port ${port}. Choose one above 1023 with PORT.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${host} is not an address of this machine. Choose another with HOST.`;
    default:
      return `Cannot listen on ${host}, port ${port}: ${message}`;
  }
}

const EVERY_ADDRESS = ['0.0.0.0', '::'];

function browserAddress({ address, port, family }: AddressInfo): string {
  if (EVERY_ADDRESS.includes(address)) return `http://localhost:${port}`;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
