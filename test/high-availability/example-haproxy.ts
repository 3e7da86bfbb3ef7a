import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { findProgram } from '@/scripts/system/find-program.mjs';
import { freePort } from '@/scripts/system/free-port.mjs';
import { untilOpen } from '../real-proxy';

const EXAMPLE = resolve(import.meta.dirname, '../../deploy/haproxy.cfg');
/** The addresses of the servers in the example, in its order. */
const SERVERS = ['172.30.14.11:3000', '172.30.14.12:3000'];
const BIND = 'bind :8443 ssl crt /run/secrets/certificate alpn h2,http/1.1';
const HEALTH_BIND = 'bind 127.0.0.1:8404';

/** The HAProxy of `deploy/haproxy.cfg`, without TLS, in front of servers of this machine. */
export class ExampleHaproxy {
  private constructor(
    readonly url: string,
    readonly healthUrl: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  /** @param servers their URLs */
  static async start(servers: string[]): Promise<ExampleHaproxy> {
    const folder = mkdtempSync(join(tmpdir(), 'lockyard-haproxy-'));
    const [port, healthPort] = [await freePort(), await freePort()];
    const file = join(folder, 'haproxy.cfg');
    const config = replaced(readFileSync(EXAMPLE, 'utf8'), [
      [BIND, `bind 127.0.0.1:${port}`],
      [HEALTH_BIND, `bind 127.0.0.1:${healthPort}`],
      ...SERVERS.map((server, i): [string, string] => [server, new URL(servers[i] ?? '').host]),
    ]);
    writeFileSync(file, config);
    const child = spawn(haproxy(), ['-db', '-f', file], { stdio: ['ignore', 'inherit', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
    const [url, healthUrl] = [port, healthPort].map((each) => `http://127.0.0.1:${each}`);
    const proxy = new ExampleHaproxy(url ?? '', `${healthUrl}/healthy`, child, folder);
    if (await untilOpen(port, child)) return proxy;
    await proxy.stop();
    throw new Error(`HAProxy did not start:\n${said}`);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGKILL');
      await once(this.child, 'exit');
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * HAProxy's complaints about the unchanged example, with a certificate in place; empty if none.
 */
export function complaintsAboutExample(certificate: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'lockyard-haproxy-'));
  try {
    const file = join(folder, 'haproxy.cfg');
    const example = readFileSync(EXAMPLE, 'utf8');
    writeFileSync(file, replaced(example, [['/run/secrets/certificate', certificate]]));
    const { status, stdout, stderr } = spawnSync(haproxy(), ['-c', '-q', '-f', file], {
      encoding: 'utf8',
    });
    return status === 0 ? stderr : `${stdout}${stderr}` || `exit code ${status}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function haproxy(): string {
  const program = findProgram(['haproxy']);
  if (!program) throw new Error('haproxy is not installed.');
  return program;
}

function replaced(config: string, pairs: [string, string][]): string {
  return pairs.reduce((text, [from, to]) => {
    if (!text.includes(from)) throw new Error(`deploy/haproxy.cfg has no "${from}".`);
    return text.replace(from, to);
  }, config);
}
