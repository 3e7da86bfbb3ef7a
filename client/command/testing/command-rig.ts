import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { build } from 'esbuild';
import { ApiHarness } from '@/test/api-harness';
import { buildOnce } from '@/test/build-once';
import { TcpProxy } from '@/test/tcp-proxy';
import { LockyardClient } from '../../lockyard-client';

/** How a process ended. */
export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  out: string;
  err: string;
}

export interface Running {
  child: ChildProcess;
  ended: Promise<Ending>;
  /** Resolves once this text was printed on standard error. */
  said(text: string): Promise<void>;
}

export interface RunOptions {
  env?: Record<string, string | undefined>;
  /** Standard input; absent: it ends immediately. */
  input?: string;
  cwd?: string;
}

/**
 * The command `lockyard` as real processes against a real server, over a connection that can be
 * cut.
 */
export class CommandRig {
  private readonly running = new Set<ChildProcess>();

  private constructor(
    readonly api: ApiHarness,
    readonly line: TcpProxy,
    readonly key: string,
    /** A client that reaches the server directly. */
    readonly client: LockyardClient,
    /** A folder of this rig's own. */
    readonly folder: string,
    /** The built command. */
    readonly bundle: string,
  ) {}

  static async start(): Promise<CommandRig> {
    const folder = mkdtempSync(join(tmpdir(), 'lockyard-command-'));
    const bundle = await buildOnce('lockyard-command', (outfile) =>
      build({
        entryPoints: [join(import.meta.dirname, '../lockyard-command.ts')],
        outfile,
        bundle: true,
        platform: 'node',
        format: 'esm',
      }),
    );
    const api = await ApiHarness.start();
    const { hostname, port } = new URL(api.url);
    const line = await TcpProxy.start(hostname, Number(port));
    const key = await api.key('orders');
    const client = new LockyardClient({ url: api.url, apiKey: key, owner: 'onlooker' });
    return new CommandRig(api, line, key, client, folder, bundle);
  }

  async close(): Promise<void> {
    for (const child of this.running) child.kill('SIGKILL');
    await this.line.close();
    await this.api.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  get environment(): Record<string, string | undefined> {
    return {
      ...process.env,
      LOCKYARD_URL: `http://127.0.0.1:${this.line.port}`,
      LOCKYARD_API_KEY: this.key,
    };
  }

  /** Starts `lockyard …`. */
  start(words: string[], { env = {}, input = '', cwd = this.folder }: RunOptions = {}): Running {
    const child = spawn(process.execPath, [this.bundle, ...words], {
      cwd,
      env: { ...this.environment, ...env } as NodeJS.ProcessEnv,
    });
    this.running.add(child);
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const ended = new Promise<Ending>((resolve) => {
      child.on('close', (code, signal) => {
        this.running.delete(child);
        resolve({ code, signal, out, err });
      });
    });
    const said = async (text: string) => {
      while (!err.includes(text)) await sleep(10);
    };
    return { child, ended, said };
  }

  run(words: string[], options?: RunOptions): Promise<Ending> {
    return this.start(words, options).ended;
  }

  /** Runs `lockyard exec … -- sh -c script`. */
  exec(options: string[], script: string, more?: RunOptions): Running {
    return this.start(['exec', ...options, '--', 'sh', '-c', script], more);
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  /** What a command has written to a file of the rig's folder; waits for the first line of it. */
  async written(name: string): Promise<string> {
    for (;;) {
      const text = this.read(name);
      if (text.includes('\n')) return text.trim();
      await sleep(10);
    }
  }

  read(name: string): string {
    try {
      return readFileSync(this.path(name), 'utf8');
    } catch {
      return '';
    }
  }

  /** Waits until this many callers queue for a lock. */
  async queueOf(name: string, length: number): Promise<void> {
    while ((await this.client.inspect({ name })).waiters.length !== length) await sleep(30);
  }

  makeFolder(name: string): string {
    mkdirSync(this.path(name), { recursive: true });
    return this.path(name);
  }
}

/** Whether a process, or a group as a negative number, is still there. A zombie is not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (pid < 0 || process.platform !== 'linux') return true;
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

export async function untilGone(pid: number): Promise<void> {
  while (isAlive(pid)) await sleep(10);
}
