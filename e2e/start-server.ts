import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const root = resolve(import.meta.dirname, '..');
const readyWithinMs = 90_000;
const stopWithinMs = 15_000;

export interface RunningServer {
  /** `http://127.0.0.1:<port>`; the same after a restart. */
  url: string;
  /**
   * The one-time link under which the first admin is created; null when there is a user already.
   */
  setupLink: string | null;
  dataDir: string;
  /** Of the process that grants locks. */
  readonly pid: number;
  /** What the server wrote so far, on both streams. */
  output(): string;
  /** Asks it to end (SIGTERM), waits until it has and returns its exit code. The data stays. */
  stop(): Promise<number | null>;
  /** Ends it immediately (SIGKILL), as a crash would. The data stays. */
  kill(): Promise<void>;
  /**
   * Starts it again on the same port and data, ending it first if it runs. `folder` has another
   * version of the program, built.
   */
  restart(folder?: string): Promise<void>;
  /**
   * Starts it again after its end, and waits until it answers calls, which is before it is ready.
   * `folder` has another version of the program, built.
   */
  restartUntilListening(folder?: string): Promise<void>;
  /** Ends it for good and deletes its data. */
  discard(): Promise<void>;
}

/**
 * Starts the built server on a free port with an empty data folder of its own, and waits until it
 * responds.
 *
 * @param expected what it must also print: the setup link, unless there are users already
 * @param folder of another version of the program; absent: of this one
 */
export async function startServer(
  variables: Record<string, string> = {},
  expected = /https?:\/\/\S+token=\S+/,
  folder = root,
): Promise<RunningServer> {
  const dataDir = mkdtempSync(join(tmpdir(), 'lockyard-e2e-'));
  let run = launch({ ...variables, PORT: '0', LOCKYARD_DATA_DIR: dataDir }, folder);
  let ready = await untilReady(run, expected).catch((error: unknown) => {
    rmSync(dataDir, { recursive: true, force: true });
    throw error;
  });
  const url = ready.url;
  const port = new URL(url).port;

  const end = async (signal: NodeJS.Signals) => {
    run.child.kill(signal);
    await Promise.race([run.ended, pause(stopWithinMs, undefined, { ref: false })]);
    if (run.child.exitCode === null && run.child.signalCode === null) {
      run.child.kill('SIGKILL');
      throw new Error(`The server did not end within ${stopWithinMs} ms of ${signal}.`);
    }
    return run.child.exitCode;
  };
  return {
    url,
    dataDir,
    get pid() {
      return run.child.pid ?? 0;
    },
    get setupLink() {
      return ready.setupLink;
    },
    output: () => run.output(),
    stop: () => end('SIGTERM'),
    async kill() {
      await end('SIGKILL');
    },
    async restart(other = folder) {
      if (run.child.exitCode === null && run.child.signalCode === null) await end('SIGTERM');
      run = launch({ ...variables, PORT: port, LOCKYARD_DATA_DIR: dataDir }, other);
      ready = await untilReady(run);
    },
    async restartUntilListening(other = folder) {
      run = launch({ ...variables, PORT: port, LOCKYARD_DATA_DIR: dataDir }, other);
      await untilListening(run, url);
    },
    async discard() {
      await end('SIGKILL');
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

interface Run {
  child: ChildProcess;
  ended: Promise<void>;
  output(): string;
}

function launch(variables: Record<string, string>, folder: string): Run {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('LOCKYARD_'));
  const child = spawn(process.execPath, ['.next/lockyard/main.mjs'], {
    cwd: folder,
    env: { ...Object.fromEntries(inherited), NODE_ENV: 'production', ...variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (piece: string) => {
      text += piece;
    });
  }
  const killIt = () => child.kill('SIGKILL');
  process.once('exit', killIt);
  const ended = new Promise<void>((settle) => child.once('close', () => settle()));
  void ended.then(() => process.off('exit', killIt));
  return { child, ended, output: () => text };
}

/** A server is ready once it answers and has printed everything that is expected of it. */
async function untilReady(
  run: Run,
  expected = /ready on/,
): Promise<{ url: string; setupLink: string | null }> {
  for (let waitedMs = 0; waitedMs < readyWithinMs; waitedMs += 50) {
    const url = /ready on (https?:\/\/[^\s/]+)/.exec(run.output())?.[1];
    if (url && expected.test(run.output()) && (await answers(url))) {
      return { url, setupLink: /https?:\/\/\S*setup\S*/.exec(run.output())?.[0] ?? null };
    }
    if (run.child.exitCode !== null) break;
    await pause(50);
  }
  run.child.kill('SIGKILL');
  throw new Error(`The server did not become ready. It said:\n${run.output()}`);
}

async function untilListening(run: Run, url: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < readyWithinMs; waitedMs += 10) {
    if (await answers(url, 'live')) return;
    if (run.child.exitCode !== null) break;
    await pause(10);
  }
  run.child.kill('SIGKILL');
  throw new Error(`The server did not listen. It said:\n${run.output()}`);
}

const answers = (url: string, health = 'ready') =>
  fetch(`${url}/api/health/${health}`).then(
    (reply) => reply.ok,
    () => false,
  );
