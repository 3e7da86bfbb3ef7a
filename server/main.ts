import { existsSync } from 'node:fs';
import { isatty } from 'node:tty';
import { createHttpHandlers } from './api/http/http-handlers';
import { createHttpServer, listen, tryPort } from './api/http/http-server';
import { openPages, type Pages } from './api/pages/open-pages';
import { boundConnections } from './bootstrap/bound-connections';
import { pageProcessEnv, readConfig } from './bootstrap/config/config';
import { createRuntime } from './bootstrap/create-runtime';
import { printSetupLink } from './bootstrap/print-setup-link';
import { shutDown } from './bootstrap/shutdown/shut-down';
import { startComplaint } from './bootstrap/start-complaint';
import { type Demo, startDemo } from './bootstrap/start-demo';
import { unencryptedNote } from './bootstrap/unencrypted-note';
import { startControlSocket } from './cli/control-socket';
import { systemClock } from './platform/clock';
import { createLog, type Log, logSettings } from './platform/log';
import { ENDING_SIGNALS } from './platform/process/ending-signals';
import { openFilesLimit } from './platform/process/open-files-limit.mjs';

/** A shutdown that takes longer than this is cut short. */
const SHUT_DOWN_MAX_MS = 15_000;

const say = (line: string) => process.stdout.write(`${line}\n`);
// As of the log: a reader that has gone, or a full disk, must not end the server.
process.stdout.on('error', () => undefined);

/** Aborted when this process begins to end, which may be before it is ready. */
const ending = new AbortController();

/** Ends what the start has begun, then the process. Null: nothing is open yet. */
let end: ((exitCode: number) => void) | null = null;

// What this process makes is for its owner alone.
process.umask(0o077);

const hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
/** Whether the terminal of this process was closed. */
let isHungUp = false;

// As the first process of a container it would not even be ended by a signal without a listener.
for (const signal of ENDING_SIGNALS) {
  process.on(signal, () => {
    isHungUp ||= signal === 'SIGHUP' && hasTerminal;
    if (end) end(0);
    else exit(0);
  });
}

function exit(code: number): void {
  if (isHungUp) {
    // Node would abort: as it exits, it resets its terminal, and that fails.
    process.removeAllListeners('SIGHUP');
    process.kill(process.pid, 'SIGHUP');
  }
  process.exit(code);
}

async function start(log: Log): Promise<void> {
  const config = boundConnections(readConfig(process.env), openFilesLimit(), log);
  // A start that cannot listen creates no data folder. Where there is one, a server that has its
  // database open is the better reason.
  if (!existsSync(config.dataDir)) await tryPort(config.port, config.host);
  const runtime = await createRuntime(config, log, systemClock);

  let pages: Promise<Pages> | null = null;
  const handlers = createHttpHandlers(runtime, async (...page) => (await pages)?.handle(...page));
  const { handlePrivately } = handlers;
  pages = openPages(runtime, pageProcessEnv(process.env), handlePrivately, ending.signal);
  // A failure is reported where this is awaited, unless the start fails for another reason first.
  const closePages = pages.then(
    ({ close }) => close,
    () => async () => undefined,
  );
  const server = createHttpServer(handlers);
  /** What ends before the server answers no more. */
  const ends: (() => unknown)[] = [];
  // Callers are served, and may wait, from the moment of listening, long before pages are ready.
  end = endOnce(log, async () => {
    await Promise.all(ends.map((each) => each()));
    await shutDown({ server, handlers, runtime, closePages: async () => (await closePages)() });
  });
  const url = await listen(server, config.port, config.host);
  // Only now: a second server over one data folder must not take the first one's socket.
  const closeSocket = await startControlSocket(runtime);
  ends.push(closeSocket);
  await pages;
  say(`Lockyard is ready on ${url}`);
  const note = unencryptedNote(config);
  if (note) say(note);
  if (config.demo) {
    const demo = startDemo(runtime, url);
    const stopDemo = ({ stop }: Demo) => stop();
    ends.push(() => demo.then(stopDemo, () => undefined));
    say(`Sign in to the demo (this machine only): ${(await demo).link}`);
  } else ends.push(printSetupLink(runtime, config.publicUrl ?? url, say));
}

/** @param stop is called once. Returns what ends this process */
function endOnce(log: Log, stop: () => Promise<void>): (exitCode: number) => void {
  const endWith = (exitCode: number) => {
    if (ending.signal.aborted) return;
    ending.abort();
    setTimeout(() => exit(1), SHUT_DOWN_MAX_MS).unref();
    stop().then(
      () => exit(exitCode),
      (err: unknown) => {
        log.fatal({ err }, 'The server did not shut down cleanly');
        exit(1);
      },
    );
  };
  // An unhandled rejection is only logged; an uncaught exception may leave anything half done.
  process.on('unhandledRejection', (err) => log.error({ err }, 'Unhandled rejection'));
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'Uncaught exception, shutting down');
    endWith(1);
  });
  return endWith;
}

function giveUp(log: Log, error: unknown): void {
  // What was under way of the start cannot go on then, and the process ends by itself.
  if (ending.signal.aborted) return;
  const complaint = startComplaint(error);
  if (complaint !== null) process.stderr.write(`${complaint}\n`);
  else log.fatal({ err: error }, 'The server could not start');
  if (end) end(1);
  else exit(1);
}

const log = createLog(undefined, logSettings(process.env));
start(log).catch((error: unknown) => giveUp(log, error));
