import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { freePort } from '@/scripts/system/free-port.mjs';

const run = promisify(execFile);
const MODULE = 'github.com/jaegertracing/jaeger@v1.76.0';
const READY_WITHIN_MS = 60_000;

/** A span as Jaeger answers it, by the names of its API. */
export interface StoredSpan {
  traceID: string;
  spanID: string;
  operationName: string;
  /** `FOLLOWS_FROM` is a link of OpenTelemetry. */
  references: { refType: 'CHILD_OF' | 'FOLLOWS_FROM'; traceID: string; spanID: string }[];
  tags: { key: string; value: unknown }[];
}

/** A Jaeger for one test, which receives OTLP over HTTP and keeps the spans in memory. */
export class OwnJaeger {
  private constructor(
    /** Where programs send spans. */
    readonly receiver: string,
    private readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /** Builds it from its Go module, which takes minutes the first time. */
  static async start(): Promise<OwnJaeger> {
    const folder = await mkdtemp(join(tmpdir(), 'lockyard-jaeger-'));
    try {
      const program = join(folder, 'jaeger');
      const { stdout } = await run('go', ['mod', 'download', '-json', MODULE], { cwd: folder });
      const { Dir } = JSON.parse(stdout) as { Dir: string };
      await run('go', ['build', '-o', program, './cmd/all-in-one'], { cwd: Dir });
      return await OwnJaeger.launch(program, folder);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** All spans of each stored trace that has such a span. */
  async tracesWith(service: string, operation: string, limit: number): Promise<StoredSpan[][]> {
    const query = new URLSearchParams({ service, operation, limit: String(limit) });
    const traces = await this.get<{ spans: StoredSpan[] }[]>(`/api/traces?${query}`);
    return (traces ?? []).map(({ spans }) => spans);
  }

  /** One stored trace; null if there is none. */
  async trace(traceId: string): Promise<StoredSpan[] | null> {
    const traces = await this.get<{ spans: StoredSpan[] }[]>(`/api/traces/${traceId}`);
    return traces?.[0]?.spans ?? null;
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('close', resolve));
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGKILL');
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  private static async launch(program: string, folder: string): Promise<OwnJaeger> {
    const ports = new Map<string, number>();
    for (const server of [
      'admin.http',
      'collector.grpc-server',
      'collector.http-server',
      'collector.otlp.grpc',
      'collector.otlp.http',
      'query.grpc-server',
      'query.http-server',
    ]) {
      ports.set(server, await freePort());
    }
    const places = [...ports].map(([server, port]) => `--${server}.host-port=127.0.0.1:${port}`);
    const child = spawn(program, [...places, '--collector.queue-size=100000'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, SPAN_STORAGE_TYPE: 'memory' },
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
    const at = (server: string) => `http://127.0.0.1:${ports.get(server)}`;
    const receiver = `${at('collector.otlp.http')}/v1/traces`;
    const jaeger = new OwnJaeger(receiver, at('query.http-server'), child, folder);
    for (let waited = 0; waited < READY_WITHIN_MS && child.exitCode === null; waited += 200) {
      const reply = await fetch(`${at('query.http-server')}/api/services`).catch(() => null);
      if (reply?.ok) return jaeger;
      await pause(200);
    }
    await jaeger.stop();
    throw new Error(`Jaeger did not start:\n${said}`);
  }

  private async get<T>(path: string): Promise<T | null> {
    const reply = await fetch(this.url + path);
    const { data } = (await reply.json()) as { data: T | null };
    return data;
  }
}
