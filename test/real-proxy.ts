import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2';
import { request } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findProgram } from '@/scripts/system/find-program.mjs';
import { freePort } from '@/scripts/system/free-port.mjs';

export type ProxyKind = 'nginx' | 'haproxy' | 'caddy';

const DOCS = resolve(import.meta.dirname, '../docs/behind-a-proxy.md');
const UP_WITHIN_MS = 15_000;
/** An address of this machine that is in no list of trusted proxies. */
const CALLER = '127.0.0.2';

/** The complete answer to a request. */
export interface ProxyReply {
  status: number;
  cookies: string[];
  text: string;
}

/**
 * A real proxy with the configuration that the docs give for its kind, in front of a server on this
 * machine.
 */
export class RealProxy {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
    private readonly certificate: string,
  ) {}

  /** @param change a change to the configuration of the docs */
  static async start(
    kind: ProxyKind,
    serverUrl: string,
    change: (config: string) => string = (config) => config,
  ): Promise<RealProxy> {
    const folder = mkdtempSync(join(tmpdir(), `lockyard-${kind}-`));
    const certificate = makeCertificate(folder);
    const port = await freePort();
    const file = join(folder, 'proxy.conf');
    const config = fitted(change(docsConfig(kind)), {
      folder,
      port,
      server: new URL(serverUrl).host,
    });
    writeFileSync(file, whole(kind, config, folder));
    const child = spawn(programOf(kind), argumentsOf(kind, file, folder), {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder },
    });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        said += text;
      });
    }
    const proxy = new RealProxy(`https://localhost:${port}`, child, folder, certificate);
    if (await untilOpen(port, child)) return proxy;
    await proxy.stop();
    throw new Error(`${kind} did not start:\n${said}`);
  }

  async stop(): Promise<void> {
    if (this.child.exitCode === null) {
      const ended = new Promise((done) => this.child.once('exit', done));
      this.child.kill('SIGTERM');
      const timer = setTimeout(() => this.child.kill('SIGKILL'), 2_000);
      await ended;
      clearTimeout(timer);
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  /**
   * A request through the proxy, whose caller's address differs from the proxy's own. `onText` is
   * called with each part of the answer as it arrives; the signal hangs up.
   */
  send(
    path: string,
    how: {
      headers?: Record<string, string>;
      body?: unknown;
      onText?: (text: string) => void;
      signal?: AbortSignal;
    } = {},
  ): Promise<ProxyReply> {
    const { headers = {}, body, onText, signal } = how;
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const options = {
      method: body === undefined ? 'GET' : 'POST',
      headers: { origin: this.url, ...type, ...headers },
      ca: this.certificate,
      localAddress: CALLER,
      family: 4,
      ...(signal && { signal }),
    };
    return new Promise((resolve, reject) => {
      const call = request(this.url + path, options, (res) => {
        let text = '';
        res.setEncoding('utf8').on('data', (part: string) => {
          text += part;
          onText?.(part);
        });
        res.once('error', reject).once('end', () => {
          const cookies = res.headers['set-cookie'] ?? [];
          resolve({ status: res.statusCode ?? 0, cookies, text });
        });
      });
      call.once('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  /** A connection like a browser's. Rejects if the proxy does not agree to HTTP/2 on it. */
  async connectHttp2(): Promise<ClientHttp2Session> {
    const session = connectHttp2(this.url, { ca: this.certificate });
    await once(session, 'connect');
    if (session.alpnProtocol === 'h2') return session;
    session.destroy();
    throw new Error('The proxy did not choose HTTP/2.');
  }

  /** The address that the proxy should name as that of the caller of `send`. */
  get callerAddress(): string {
    return CALLER;
  }
}

/** The configuration in the docs: the code block of its language. */
function docsConfig(kind: ProxyKind): string {
  const [, config] =
    new RegExp(`\`\`\`${kind}\\n(.*?)\`\`\``, 's').exec(readFileSync(DOCS, 'utf8')) ?? [];
  if (!config) throw new Error(`docs/behind-a-proxy.md has no configuration for ${kind}.`);
  return config;
}

function fitted(
  config: string,
  { folder, port, server }: { folder: string; port: number; server: string },
): string {
  return config
    .replaceAll('127.0.0.1:3000', server)
    .replaceAll('/etc/ssl/', `${folder}/`)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('bind :443', `bind 127.0.0.1:${port}`)
    .replace(
      'locks.example.com {',
      `https://localhost:${port} {\n` +
        `    tls ${folder}/locks.example.com.pem ${folder}/locks.example.com.key`,
    );
}

/** The configuration as a complete file of its kind. */
function whole(kind: ProxyKind, config: string, folder: string): string {
  if (kind === 'haproxy') return config;
  if (kind === 'caddy') return `{\n    admin off\n    auto_https disable_redirects\n}\n${config}`;
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `daemon off;
master_process off;
pid ${folder}/nginx.pid;
error_log stderr;
events {}
http {
    access_log off;
    ${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n    ')}
    ${config}
}
`;
}

function programOf(name: string): string {
  const program = findProgram([name]);
  if (!program) throw new Error(`${name} is not installed.`);
  return program;
}

function argumentsOf(kind: ProxyKind, file: string, folder: string): string[] {
  if (kind === 'nginx') return ['-p', folder, '-c', file, '-e', 'stderr'];
  return kind === 'haproxy'
    ? ['-db', '-f', file]
    : ['run', '--adapter', 'caddyfile', '--config', file];
}

/** Creates a self-signed certificate for `localhost`, and returns it. */
export function makeCertificate(folder: string): string {
  const base = join(folder, 'locks.example.com');
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const files = ['-keyout', `${base}.key`, '-out', `${base}.pem`, '-days', '2'];
  const made = spawnSync(programOf('openssl'), ['req', '-x509', ...key, ...files, ...subject]);
  if (made.status !== 0) throw new Error(`openssl made no certificate: ${made.stderr}`);
  const certificate = readFileSync(`${base}.pem`, 'utf8');
  writeFileSync(`${base}.both.pem`, certificate + readFileSync(`${base}.key`, 'utf8'));
  return certificate;
}

/** Whether a process listens on a port of this machine within 15 s; false also if it ends. */
export async function untilOpen(port: number, child: ChildProcess): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < UP_WITHIN_MS && child.exitCode === null; waitedMs += 50) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isOpen) return true;
    await pause(50);
  }
  return false;
}
