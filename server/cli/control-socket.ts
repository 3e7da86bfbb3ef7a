import { chmodSync, lstatSync, renameSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { z } from 'zod';
import { newSocketPath, socketPath } from '@/server/platform/files/socket-path';
import { StartError } from '@/server/platform/start-error';
import { randomText } from '../auth/random-text';
import { LockyardError, REASONS } from '../contract/errors';
import type { ControlRuntime } from '../operations/operation-context';
import { type CliCommand, cliCommand, isReading } from './cli-command';
import { runCliCommand } from './run-cli-command';

/** The running server's answer to the command line: see `CliOutput`, or an error in one line. */
const controlReply = z.union([
  z.object({
    ok: z.literal(true),
    print: z.string().nullable(),
    // Sent only where there is one: command lines of earlier versions refuse it.
    note: z.string().nullable().default(null),
  }),
  z.strictObject({
    ok: z.literal(false),
    message: z.string(),
    // Absent if the server failed unexpectedly.
    reason: z.enum(REASONS).optional(),
  }),
]);
type ControlReply = z.output<typeof controlReply>;

/** A file to apply may be long. */
const REQUEST_MAX_CHARS = 1024 * 1024;
/** The line ends of the request, and of the line that asks it to end early. */
const LINE_ENDS = 2;
const IDLE_MAX_MS = 10_000;

/** The socket of the server on a data folder. */
export const controlSocketPath = (dataDir: string) => socketPath(dataDir, 'control.sock');

/**
 * Opens this server's control socket for the command line: one JSON line in, one out, over a socket
 * that only the data folder's owner may open. A second line in asks the command to end early and
 * keep what is done. Replaces a socket that a killed server left behind. Of several servers on one
 * data folder, the last to start answers.
 *
 * @returns a function that closes it
 * @throws StartError if the folder's path is too long for a socket, or the socket cannot be opened
 */
export async function startControlSocket(runtime: ControlRuntime): Promise<() => Promise<void>> {
  const { dataDir } = runtime.config;
  const path = controlSocketPath(dataDir);
  const fresh = newSocketPath(dataDir, `.${randomText(6)}.sock`);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    serve(runtime, socket);
  });
  await listen(server, fresh);
  chmodSync(fresh, 0o600);
  const { ino } = lstatSync(fresh);
  // Renamed atomically, so that there is always exactly one socket, ours or another server's.
  renameSync(fresh, path);
  return () => stop(server, open, () => removeIfOurs(path, ino));
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new StartError(`The control socket ${path} cannot be opened.`, { cause })),
    );
    server.listen(path, resolve);
  });
}

function stop(server: Server, open: Set<Socket>, remove: () => void): Promise<void> {
  return new Promise((resolve) => {
    remove();
    server.close(() => resolve());
    for (const socket of open) socket.destroy();
  });
}

function removeIfOurs(path: string, ino: number): void {
  try {
    if (lstatSync(path).ino === ino) rmSync(path);
  } catch {
    // Already gone: the data folder was removed, or another server is taking its place.
  }
}

function serve(runtime: ControlRuntime, socket: Socket): void {
  let text = '';
  let isAsked = false;
  let isStopped = false;
  socket.setEncoding('utf8');
  socket.setTimeout(IDLE_MAX_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk: string) => {
    text += chunk;
    if (text.length > REQUEST_MAX_CHARS) {
      socket.destroy();
      return;
    }
    const end = text.indexOf('\n');
    if (end < 0) return;
    isStopped = text.indexOf('\n', end + 1) >= 0;
    if (isAsked) return;
    isAsked = true;
    // Some commands take long and send nothing meanwhile.
    socket.setTimeout(0);
    const isAwaited = () => socket.writable && !isStopped;
    answer(runtime, text.slice(0, end), isAwaited).then((reply) =>
      socket.end(`${JSON.stringify(reply)}\n`),
    );
  });
}

async function answer(
  runtime: ControlRuntime,
  line: string,
  isAwaited: () => boolean,
): Promise<z.input<typeof controlReply>> {
  try {
    const command = cliCommand.parse(JSON.parse(line));
    const { print, note } = await runCliCommand(runtime, command, isAwaited);
    return { ok: true, print, ...(note !== null && { note }) };
  } catch (error) {
    if (error instanceof LockyardError) {
      const { message, reason } = error;
      return { ok: false, message, reason };
    }
    runtime.log.error({ err: error }, 'A command of the command line failed');
    return { ok: false, message: 'The running server failed to do this; see its log.' };
  }
}

/**
 * Longer than any command on single records takes, including a password hash behind a queue of
 * sign-ins.
 */
const ANSWER_MAX_MS = 30_000;

/** Commands on all records have no time limit. */
const UNLIMITED: ReadonlySet<CliCommand['verb']> = new Set([
  'backends reshard',
  'names delete',
  'apply',
]);

/** If a file is in the folder's place, the code that opens the folder next reports it. */
const NOT_RUNNING = ['ENOENT', 'ENOTDIR', 'ECONNREFUSED'];

/**
 * Passes a command to the server that runs on this data folder; null if none does.
 *
 * @param stop asks the command to end early; its answer still arrives
 */
export function askRunningServer(
  dataDir: string,
  command: CliCommand,
  stop?: AbortSignal,
): Promise<ControlReply | null> {
  const line = JSON.stringify(command);
  const unknown = (message: string, cause?: Error) =>
    new LockyardError('UNKNOWN', `${message}${isReading(command) ? '' : UNSURE}`, { cause });
  return new Promise((resolve, reject) => {
    const socket = connect(controlSocketPath(dataDir));
    let text = '';
    let isSent = false;
    socket.setEncoding('utf8');
    socket.setTimeout(UNLIMITED.has(command.verb) ? 0 : ANSWER_MAX_MS, () =>
      socket.destroy(unknown('The running server did not respond.')),
    );
    const endEarly = () => socket.write('\n');
    socket.on('connect', () => {
      if (line.length + LINE_ENDS > REQUEST_MAX_CHARS) return socket.destroy(tooLong());
      socket.write(`${line}\n`);
      isSent = true;
      if (stop?.aborted) endEarly();
      else stop?.addEventListener('abort', endEarly, { once: true });
    });
    socket.on('close', () => stop?.removeEventListener('abort', endEarly));
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('end', () => {
      const reply = parseReply(text);
      if (reply) resolve(reply);
      else reject(unknown(text.endsWith('\n') ? OTHER_VERSION : STOPPED));
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (isSent) reject(error instanceof LockyardError ? error : unknown(STOPPED, error));
      else if (NOT_RUNNING.includes(error.code ?? '')) resolve(null);
      else reject(error.code === 'EACCES' ? notAllowed(dataDir, error) : error);
    });
  });
}

const tooLong = () =>
  new LockyardError('TOO_LARGE', 'A running server takes a command of 1 MB at most.');

/** The answer is complete: it ends with its line. */
const OTHER_VERSION =
  'The running server answered in a way that this version does not know: use the command line of ' +
  "the server's version.";

const STOPPED = 'The running server stopped before it answered.';

const UNSURE = ' The result is unknown: check the current state before you repeat this.';

const notAllowed = (dataDir: string, cause: Error) =>
  new StartError(
    `No access to the data folder ${dataDir}; run this as the user that runs the server.`,
    { cause },
  );

/** Null: the answer is not complete, or that of another version. */
function parseReply(text: string): ControlReply | null {
  try {
    return controlReply.parse(JSON.parse(text));
  } catch {
    return null;
  }
}
