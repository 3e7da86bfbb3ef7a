import { mkdtemp, rm } from 'node:fs/promises';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { addTables } from '@/db/testing/add-tables';
import { createHttpHandlers, type HttpHandlers } from '@/server/api/http/http-handlers';
import { createHttpServer, listen } from '@/server/api/http/http-server';
import { ownDatabasePath, readConfig } from '@/server/bootstrap/config/config';
import { createRuntime } from '@/server/bootstrap/create-runtime';
import type { Reason } from '@/server/contract/errors';
import { openApiDocument } from '@/server/contract/openapi/openapi-document';
import type { HeapWatch } from '@/server/monitoring/maintenance/heap-watch';
import { createApiKey } from '@/server/operations/api-keys/create-api-key';
import { listAllApiKeys } from '@/server/operations/api-keys/list-api-keys';
import { createNamespace } from '@/server/operations/namespaces/create-namespace';
import type { OperationContext, Runtime } from '@/server/operations/operation-context';
import { type Clock, systemClock } from '@/server/platform/clock';
import { DescribedWire } from './described-wire';

/** A reply as it was sent over the wire. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  /** `result.data`, if the call succeeded. */
  data: Record<string, unknown> | undefined;
  /** `error.data.reason`, if it failed. */
  reason: Reason | undefined;
  error: { message: string; data: Record<string, unknown> } | undefined;
}

/** Some calls are refused until all locks were read. Gives up: a backend may never respond. */
async function untilRead({ projection }: Runtime): Promise<void> {
  for (let look = 0; look < 1_000 && !projection.isRead('default'); look += 1) await setTimeout(10);
}

/** A whole server without pages on a fresh SQLite file, for tests that speak HTTP to it. */
export class ApiHarness {
  private constructor(
    readonly url: string,
    readonly runtime: Runtime,
    readonly handlers: HttpHandlers,
    readonly server: Server,
    private readonly folder: string,
  ) {}

  /**
   * @param env configuration beyond a data folder of its own, which is deleted with the server
   * @param how its clock, its knowledge of its heap, and options of its handlers
   */
  static async start(
    env: Record<string, string> = {},
    {
      clock = systemClock,
      heap,
      ...options
    }: { clock?: Clock; heap?: HeapWatch } & Parameters<typeof createHttpHandlers>[2] = {},
  ): Promise<ApiHarness> {
    const folder = await mkdtemp(join(tmpdir(), 'lockyard-api-'));
    const config = readConfig({ LOCKYARD_DATA_DIR: folder, ...env });
    const own = ownDatabasePath(folder);
    if (config.database.kind === 'sqlite' && config.database.path === own)
      await addTables(config.database);
    const runtime = await createRuntime(config, pino({ level: 'silent' }), clock, heap).catch(
      async (error: unknown) => {
        await rm(folder, { recursive: true, force: true });
        throw error;
      },
    );
    const handlers = createHttpHandlers(runtime, null, options);
    const server = createHttpServer(handlers);
    const url = await listen(server, 0, '127.0.0.1');
    await untilRead(runtime);
    return new ApiHarness(url, runtime, handlers, server, folder);
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    await this.runtime.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** The actor of the command line. */
  get cli(): OperationContext {
    return { runtime: this.runtime, actor: { kind: 'cli' }, address: 'local', requestId: 'test' };
  }

  async namespace(name: string, backend = 'default'): Promise<void> {
    await createNamespace(this.cli, { name, backend });
  }

  /** A new API key for a service. */
  async key(name: string, namespaces: string[] = ['default']): Promise<string> {
    return (await createApiKey(this.cli, { name, namespaces })).key;
  }

  async keyId(name: string): Promise<string> {
    const found = (await listAllApiKeys(this.cli)).find((row) => row.name === name);
    if (!found) throw new Error(`There is no key "${name}".`);
    return found.id;
  }

  /** Signs an operator in and returns the cookie. */
  async signIn(name: string, password: string): Promise<string> {
    const reply = await this.console(null, 'session.signIn', { name, password }, 'mutation');
    const [cookie] = (reply.headers.get('set-cookie') ?? '').split(';');
    if (!cookie) throw new Error(`"${name}" could not sign in: ${reply.text}`);
    return cookie;
  }

  /** A call of the console API, with or without an operator's cookie. */
  console(
    cookie: string | null,
    procedure: string,
    input: unknown,
    kind: 'query' | 'mutation' = 'query',
    more: Record<string, string> = {},
  ): Promise<Reply> {
    const headers = { ...(cookie && { cookie }), ...more };
    const text = JSON.stringify(input);
    if (kind === 'query') {
      const query = text === undefined ? '' : `?input=${encodeURIComponent(text)}`;
      return this.send(`/api/trpc/${procedure}${query}`, { headers });
    }
    return this.send(`/api/trpc/${procedure}`, {
      method: 'POST',
      ...(text !== undefined && { body: text }),
      headers: { 'content-type': 'application/json', origin: this.url, ...headers },
    });
  }

  /** Any request; its reply is returned whatever its status. */
  async send(path: string, init: RequestInit = {}): Promise<Reply> {
    const res = await fetch(this.url + path, init);
    return this.reply(res.status, res.headers, await res.text());
  }

  /** Parses a reply. */
  reply(status: number, headers: Headers, text: string): Reply {
    const body = parsed(text);
    const error = body?.error as Reply['error'];
    return {
      status,
      headers,
      text,
      data: (body?.result as { data?: Reply['data'] } | undefined)?.data,
      reason: error?.data.reason as Reason | undefined,
      error,
    };
  }

  /**
   * A mutation of the service API; its reply must match the API's description. An `input` that is a
   * string is sent unchanged.
   */
  async post(
    key: string,
    procedure: string,
    input: unknown,
    init: RequestInit = {},
  ): Promise<Reply> {
    const reply = await this.send(`/api/v1/${procedure}`, {
      method: 'POST',
      body: typeof input === 'string' ? input : JSON.stringify(input),
      ...init,
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        ...(init.headers as Record<string, string>),
      },
    });
    return asDescribed(procedure, reply);
  }

  /** A query of the service API; its reply must match the API's description. */
  async get(key: string, procedure: string, input: unknown): Promise<Reply> {
    const text = typeof input === 'string' ? input : JSON.stringify(input);
    const reply = await this.send(`/api/v1/${procedure}?input=${encodeURIComponent(text)}`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return asDescribed(procedure, reply);
  }
}

const wire = new DescribedWire(openApiDocument());

/**
 * Throws if a procedure's reply does not match its description. Batches and unknown procedures are
 * not checked.
 */
function asDescribed(procedure: string, reply: Reply): Reply {
  const complaints = wire.describes(procedure) ? wire.replyComplaints(procedure, reply) : [];
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
  return reply;
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
