import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { initTRPC } from '@trpc/server';
import { createHTTPHandler } from '@trpc/server/adapters/standalone';
import { z } from 'zod';
import { createHttpHandlers } from '@/server/api/http/http-handlers';
import { createHttpServer } from '@/server/api/http/http-server';
import { readConfig } from '@/server/bootstrap/config/config';
import { createRuntime } from '@/server/bootstrap/create-runtime';
import { createApiKey } from '@/server/operations/api-keys/create-api-key';
import type { Runtime } from '@/server/operations/operation-context';
import { systemClock } from '@/server/platform/clock';
import { createLog } from '@/server/platform/log';
import type { BenchLock } from './bench-lock';

/** A server that answers an acquire over HTTP. */
export interface BenchServer {
  port: number;
  path: string;
  close(): Promise<void>;
}

/**
 * The minimum that a Node server does for a call: reads its body as JSON and answers with JSON of
 * the size of a grant.
 */
export async function openBareServer(): Promise<BenchServer> {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { leaseMs } = JSON.parse(Buffer.concat(chunks).toString()) as { leaseMs: number };
      const granted = { outcome: 'granted', token: 2 ** 41, rev: 1, holdCount: 1 };
      const expiresAt = Date.now() + leaseMs;
      const data = { ...granted, expiresAt, expiresInMs: leaseMs, waitedMs: 0 };
      const body = JSON.stringify({ result: { data } });
      res.writeHead(200, {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
      });
      res.end(body);
    });
  });
  return serve(server, '/');
}

/** A lock behind a tRPC router of one procedure, served as tRPC's own documentation does. */
export async function openStockServer(lock: BenchLock): Promise<BenchServer> {
  const t = initTRPC.create();
  const input = z.object({ name: z.string(), owner: z.string(), leaseMs: z.number() });
  const acquire = t.procedure.input(input).mutation(async ({ input: { name, owner } }) => {
    const grant = await lock.tryAcquire(name, owner);
    return grant === null ? { outcome: 'held' } : { outcome: 'granted', grant };
  });
  const router = t.router({ acquire });
  return serve(createServer(createHTTPHandler({ router })), '/acquire');
}

/** Lockyard without its pages. */
export async function openLockyardServer(
  runtime: Runtime,
  how: { fastPath: boolean },
): Promise<BenchServer> {
  return serve(createHttpServer(createHttpHandlers(runtime, null, how)), '/api/v1/lock.acquire');
}

/**
 * @param databaseUrl the control database and the backend; if not given, SQLite in a folder that is
 *   removed at the end
 * @param backendUrl the URL of a second backend, called `bench`
 */
export async function openBenchRuntime(
  databaseUrl?: string,
  backendUrl?: string,
): Promise<{ runtime: Runtime; key: string; close(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'lockyard-bench-'));
  // The bench sends all calls with one key, faster than the default limit on calls allows.
  const config = readConfig({
    LOCKYARD_DATA_DIR: folder,
    // The processes of one installation share one.
    LOCKYARD_SECRET: 'only for the bench, whose data is deleted',
    LOCKYARD_CALLS_PER_SECOND: '1000000000',
    ...(databaseUrl && { LOCKYARD_DATABASE_URL: databaseUrl }),
    ...(backendUrl && { LOCKYARD_BACKEND_BENCH: backendUrl }),
  });
  const runtime = await createRuntime(config, createLog(undefined, { level: 'warn' }), systemClock);
  const cli = { runtime, actor: { kind: 'cli' }, address: 'local', requestId: 'bench' } as const;
  const { key } = await createApiKey(cli, { name: 'bench', namespaces: ['default'] });
  return {
    runtime,
    key,
    async close() {
      await runtime.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function serve(server: Server, path: string): Promise<BenchServer> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    path,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
