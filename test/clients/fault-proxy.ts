import {
  createServer,
  type IncomingMessage,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

/** A request that passed through. */
export interface SeenRequest {
  /** Such as `lock.acquire`. */
  procedure: string;
  input: Record<string, unknown>;
  /** Whether its caller hung up before it was answered. */
  isLeft: boolean;
}

/** What happens to a request, or to its reply. */
export type Fault =
  /** It never arrives, and its connection is closed. */
  | 'drop'
  /** The same, after this time in milliseconds. */
  | { dropAfterMs: number }
  /** It is processed, and its connection is closed without the reply. */
  | 'lose reply'
  /** Something that is not Lockyard answers. */
  | 'garbage'
  /** It is processed, and its reply is sent after this time in milliseconds. */
  | { replyAfterMs: number }
  /** It is processed, and its reply follows after so many spaces, which JSON allows. */
  | { spaces: number }
  /** The proxy answers it like this, and it never arrives. */
  | { status: number; headers?: Record<string, string>; body: unknown };

/** Decides what happens to a request; null: it passes. */
export type Rule = (seen: SeenRequest) => Fault | null;

/**
 * An HTTP proxy in front of a server that records requests and injects the faults of a test's rule.
 */
export class FaultProxy {
  readonly seen: SeenRequest[] = [];
  private readonly connections = new Set<Socket>();
  private silent = new Set<Socket>();
  rule: Rule = () => null;
  /** Whether connections stay open after a reply, as those to a server do. */
  keepsConnections = false;

  private constructor(
    private readonly server: Server,
    private target: URL,
  ) {
    server.on('request', (incoming, reply) => void this.pass(incoming, reply));
    server.on('connection', (socket) => {
      this.connections.add(socket);
      socket.once('close', () => this.connections.delete(socket));
    });
  }

  static async start(url: string): Promise<FaultProxy> {
    // As long as the server itself.
    const server = createServer({ keepAliveTimeout: 65_000 });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new FaultProxy(server, new URL(url));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Forwards to another server from now on. */
  lead(url: string): void {
    this.target = new URL(url);
  }

  /** No request over a connection that is open now is answered any more, or arrives. */
  silenceConnections(): void {
    this.silent = new Set(this.connections);
  }

  /** Answers every request again, over all connections: for the next scenario. */
  reset(): void {
    this.rule = () => null;
    this.keepsConnections = false;
    this.silent = new Set();
  }

  /** The requests for one lock or counter. */
  of(name: string, procedure: string): SeenRequest[] {
    return this.seen.filter((seen) => seen.input.name === name && seen.procedure === procedure);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async pass(incoming: IncomingMessage, reply: ServerResponse): Promise<void> {
    const body = await buffer(incoming).catch(() => null);
    // Its caller hung up before all of it had arrived.
    if (body === null) return;
    const seen = seenRequest(incoming, body);
    this.seen.push(seen);
    if (this.silent.has(incoming.socket)) return;
    reply.once('close', () => {
      seen.isLeft = !reply.writableEnded;
    });
    const fault = this.rule(seen);
    if (fault === 'drop') return void incoming.socket.destroy();
    if (fault !== null && typeof fault === 'object' && 'dropAfterMs' in fault) {
      await pause(fault.dropAfterMs);
      return void incoming.socket.destroy();
    }
    if (fault === 'garbage') return void reply.writeHead(502).end('<html>Bad gateway</html>');
    if (fault !== null && typeof fault === 'object' && 'status' in fault) {
      const headers = { 'content-type': 'application/json', ...fault.headers };
      return void reply.writeHead(fault.status, headers).end(JSON.stringify(fault.body));
    }
    const answer = await this.forward(incoming, body, reply).catch(() => null);
    if (!answer || fault === 'lose reply') return void incoming.socket.destroy();
    const text = await buffer(answer).catch(() => null);
    if (!text) return void incoming.socket.destroy();
    if (fault !== null && 'spaces' in fault) {
      const { 'content-length': _, ...headers } = answer.headers;
      reply.writeHead(answer.statusCode ?? 502, headers).write(' '.repeat(fault.spaces));
      return void reply.end(text);
    }
    if (fault !== null) await pause(fault.replyAfterMs);
    // The one to the server is closed after each reply.
    if (this.keepsConnections) delete answer.headers.connection;
    reply.writeHead(answer.statusCode ?? 502, answer.headers).end(text);
  }

  private forward(
    { method, url, headers }: IncomingMessage,
    body: Buffer,
    reply: ServerResponse,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = this.target;
      const ask = request({ hostname, port, method, path: url, headers, agent: false }, resolve);
      ask.once('error', reject);
      // A caller that hangs up is noticed by the server too.
      reply.once('close', () => ask.destroy());
      ask.end(body);
    });
  }
}

function seenRequest({ url = '' }: IncomingMessage, body: Buffer): SeenRequest {
  const { pathname, searchParams } = new URL(url, 'http://local');
  const text = searchParams.get('input') ?? body.toString();
  const procedure = pathname.replace('/api/v1/', '');
  const input = text ? (JSON.parse(text) as SeenRequest['input']) : {};
  return { procedure, input, isLeft: false };
}
