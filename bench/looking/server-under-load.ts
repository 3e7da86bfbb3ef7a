import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const READY_WITHIN_MS = 60_000;
const END_WITHIN_MS = 15_000;

/** The built server in a separate process, on embedded SQLite, with an admin and an API key. */
export interface ServerUnderLoad {
  /** `http://127.0.0.1:<port>` */
  url: string;
  port: number;
  /** Of the lock process. */
  pid: number;
  dataDir: string;
  /** The admin's session, as the header `Cookie` carries it. */
  cookie: string;
  /** A key for the namespace `default`. */
  apiKey: string;
  /** Calls a mutation of the console API as the admin and returns its data. */
  callConsole(procedure: string, input: object): Promise<unknown>;
  /** The same for a query. */
  askConsole(procedure: string, input?: object): Promise<unknown>;
  /** Signs in and returns the session as the header `Cookie` carries it. */
  signIn(name: string, password: string): Promise<string>;
  /** The lock process first, then its children. */
  usage(): Promise<ProcessUsage[]>;
  close(): Promise<void>;
}

export interface ProcessUsage {
  pid: number;
  rssBytes: number;
  /** User and system time since its start. */
  cpuMs: number;
}

/**
 * Starts it with this process's options of Node: `npm start` and `npm run bench` set the same ones.
 *
 * @param env in addition to the server's own data folder and port
 */
export async function startServerUnderLoad(
  env: Record<string, string> = {},
): Promise<ServerUnderLoad> {
  const dataDir = await mkdtemp(join(tmpdir(), 'lockyard-looking-'));
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('LOCKYARD_'));
  const child = spawn(process.execPath, [...process.execArgv, '.next/lockyard/main.mjs'], {
    env: {
      ...Object.fromEntries(inherited),
      NODE_ENV: 'production',
      PORT: '0',
      LOCKYARD_DATA_DIR: dataDir,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  const close = async () => {
    await end(child);
    process.off('exit', kill);
    await rm(dataDir, { recursive: true, force: true });
  };
  try {
    const { url, token } = await untilReady(child);
    const cookie = await setUp(url, token);
    const callConsole = (procedure: string, input: object) => call(url, cookie, procedure, input);
    const askConsole = (procedure: string, input?: object) => ask(url, cookie, procedure, input);
    const signIn = async (name: string, password: string) =>
      sessionOf(await post(url, '', 'session.signIn', { name, password }));
    const { key } = (await callConsole('keys.create', {
      name: 'bench',
      namespaces: ['default'],
    })) as { key: string };
    const pid = child.pid ?? 0;
    const usage = () => usageOf(pid);
    const port = Number(new URL(url).port);
    const calls = { callConsole, askConsole, signIn };
    return { url, port, pid, dataDir, cookie, apiKey: key, ...calls, usage, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function untilReady(child: ChildProcess): Promise<{ url: string; token: string }> {
  return new Promise((resolve, reject) => {
    let text = '';
    const fail = () => reject(new Error(`The server did not become ready. It said:\n${text}`));
    const timer = setTimeout(fail, READY_WITHIN_MS);
    child.once('exit', fail);
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
      const [, url, token] = /(http:\S+)\/setup\?token=(\S+)/.exec(text) ?? [];
      if (!url || !token) return;
      clearTimeout(timer);
      child.off('exit', fail);
      resolve({ url, token });
    });
  });
}

async function setUp(url: string, token: string): Promise<string> {
  const reply = await post(url, '', 'session.setup', {
    name: 'ada',
    password: 'a password for the bench',
    token,
  });
  return sessionOf(reply);
}

async function sessionOf(reply: Response): Promise<string> {
  const [cookie] = (reply.headers.getSetCookie()[0] ?? '').split(';');
  if (!cookie) throw new Error(`No session could be had: ${await reply.text()}`);
  return cookie;
}

async function ask(url: string, cookie: string, procedure: string, input?: object) {
  const query = input ? `?input=${encodeURIComponent(JSON.stringify(input))}` : '';
  const reply = await fetch(`${url}/api/trpc/${procedure}${query}`, {
    headers: { Cookie: cookie },
  });
  const body = (await reply.json()) as { result?: { data: unknown } };
  if (!body.result) throw new Error(`${procedure} answered ${JSON.stringify(body)}`);
  return body.result.data;
}

async function call(url: string, cookie: string, procedure: string, input: object) {
  const reply = await post(url, cookie, procedure, input);
  const body = (await reply.json()) as { result?: { data: unknown } };
  if (!body.result) throw new Error(`${procedure} answered ${JSON.stringify(body)}`);
  return body.result.data;
}

function post(url: string, cookie: string, procedure: string, input: object): Promise<Response> {
  return fetch(`${url}/api/trpc/${procedure}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Origin: url, Cookie: cookie },
    body: JSON.stringify(input),
  });
}

async function usageOf(server: number): Promise<ProcessUsage[]> {
  const columns = 'pid=,ppid=,rss=,time=';
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', columns]);
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/));
  return rows
    .filter(([pid, parent]) => Number(pid) === server || Number(parent) === server)
    .sort(([pid]) => (Number(pid) === server ? -1 : 1))
    .map(([pid, , rss, time = '']) => ({
      pid: Number(pid),
      rssBytes: Number(rss) * 1024,
      cpuMs: millisecondsOf(time),
    }));
}

/** Parses a text such as `1-02:03:04` or `03:04.25`. */
function millisecondsOf(time: string): number {
  const [seconds = 0, minutes = 0, hours = 0, days = 0] = time.split(/[:-]/).reverse().map(Number);
  return (seconds + 60 * (minutes + 60 * (hours + 24 * days))) * 1_000;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), END_WITHIN_MS);
  await ended;
  clearTimeout(timer);
}
