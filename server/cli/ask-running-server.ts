import { connect } from 'node:net';
import { StartError } from '@/server/platform/start-error';
import type { CliCommand } from './cli-command';
import { type ControlReply, controlReply, controlSocketPath } from './control-socket';

/**
 * Longer than any command takes that is not about all locks: hashing a password behind a queue of
 * sign-ins.
 */
const ANSWER_MAX_MS = 30_000;

/** Commands about all locks: they take as long as they take. */
const UNLIMITED: ReadonlySet<CliCommand['verb']> = new Set(['backends reshard', 'names delete']);

/** If a file is in place of the folder, the code that opens the folder next reports it. */
const NOT_RUNNING = ['ENOENT', 'ENOTDIR', 'ECONNREFUSED'];

/** Passes a command to the server that runs over this data folder; null when none does. */
export function askRunningServer(
  dataDir: string,
  command: CliCommand,
): Promise<ControlReply | null> {
  return new Promise((resolve, reject) => {
    const socket = connect(controlSocketPath(dataDir));
    let text = '';
    socket.setEncoding('utf8');
    socket.setTimeout(UNLIMITED.has(command.verb) ? 0 : ANSWER_MAX_MS, () =>
      socket.destroy(new Error('The running server did not answer.')),
    );
    socket.on('connect', () => socket.write(`${JSON.stringify(command)}\n`));
    socket.on('data', (chunk: string) => {
      text += chunk;
    });
    socket.on('end', () => resolve(parseReply(text)));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (NOT_RUNNING.includes(error.code ?? '')) resolve(null);
      else reject(error.code === 'EACCES' ? notAllowed(dataDir, error) : error);
    });
  });
}

const notAllowed = (dataDir: string, cause: Error) =>
  new StartError(
    `This user may not use the data folder ${dataDir}; run this as the user who runs the server.`,
    { cause },
  );

function parseReply(text: string): ControlReply {
  try {
    return controlReply.parse(JSON.parse(text));
  } catch {
    return { ok: false, message: 'The running server stopped before it had answered.' };
  }
}
