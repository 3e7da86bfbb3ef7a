import type { Readable, Writable } from 'node:stream';
import { CommitUnknown, causes } from '@/db/database-failure';
import { programSchemaVersion } from '@/db/schema-version';
import { version } from '@/package.json';
import { StartError } from '@/server/platform/start-error';
import { printableJson } from '../../client/command/terminal/printable';
import { newApiKey } from '../auth/api-keys/api-key-text';
import { type Config, readConfig } from '../bootstrap/config/config';
import { openControlRuntime } from '../bootstrap/open-control-runtime';
import { LockyardError, type Reason } from '../contract/errors';
import { systemClock } from '../platform/clock';
import { firstLine } from '../platform/first-line';
import { createLog } from '../platform/log';
import { applyFile } from './apply/apply-file';
import { runBackupCommand } from './backup-command';
import type { CliOutput } from './cli-answer';
import { type BackupCommand, type CliCommand, isReading } from './cli-command';
import { askRunningServer } from './control-socket';
import { runDoctor } from './doctor/run-doctor';
import { type Command, parseCommand } from './parse-command';
import { lostSecret } from './provisioning/lost-secret';
import { type DatabaseConsent, type DatabaseFound, requireDatabase } from './require-database';
import { refuseWithoutServer } from './require-server';
import { resetSecret } from './reset-secret';
import { runCliCommand } from './run-cli-command';
import { usageOf } from './usage';
import { UsageError } from './usage-error';

/** The surroundings of the command line. */
export interface CommandLineIo {
  /** The environment. */
  env: Record<string, string | undefined>;
  /** Read only if a command asks for a line. */
  stdin: Readable;
  stdout: Writable;
  stderr: Writable;
  /**
   * Aborts a backup, which then leaves no file behind, or ends an `apply` or a deletion after its
   * current step, which is reported. Once this has been read, a first signal does only that;
   * before, any signal ends the process.
   */
  signal: AbortSignal;
}

/**
 * Runs the command line and returns its exit code; never rejects. Standard output has only results;
 * anything else is one line on standard error. The code is 0, 2 for arguments that are not a
 * command, otherwise 1. `apply` uses 2 only for a dry run that found differences; for `doctor` see
 * `runDoctor`.
 */
export async function runCommandLine(args: string[], io: CommandLineIo): Promise<number> {
  try {
    return await run(args, io);
  } catch (error) {
    const message = firstLine(error);
    const isJson = args.includes(JSON_OPTION);
    const line = isJson ? printableJson({ error: { reason: reasonOf(error), message } }) : message;
    io.stderr.write(`${line}\n`);
    return error instanceof UsageError && verbIn(args) !== 'apply' ? 2 : 1;
  }
}

/** Options of every command, such as `--json`, may come before it. */
const verbIn = (args: string[]) => args.find((arg) => !arg.startsWith('-'));

function reasonOf(error: unknown): Reason {
  if (error instanceof LockyardError) return error.reason;
  if (causes(error).some((each) => each instanceof CommitUnknown)) return 'UNKNOWN';
  return error instanceof UsageError || error instanceof StartError ? 'INVALID' : 'INTERNAL';
}

async function run(args: string[], io: CommandLineIo): Promise<number> {
  const { env, stdout } = io;
  const write = (text: string) => void stdout.write(text);
  const isJson = args.includes(JSON_OPTION);
  if (isVersionAsked(args)) {
    await printTo(stdout, versionText(isJson));
    return 0;
  }
  if (verbIn(args) === 'doctor') {
    const words = args.toSpliced(args.indexOf('doctor'), 1);
    return runDoctor(words, { env, clock: systemClock, write });
  }
  const command = await parseCommand(args, {
    readPassword: () => readLine(io.stdin),
    readConfig: () => readConfig(env),
  });
  if (command === null) {
    write(usageOf(args));
    return 0;
  }
  const consent = { mayCreate: args.includes('--create'), mayMigrate: args.includes('--migrate') };
  return runParsed(command, { io, isJson, consent });
}

/** How a command was asked for, besides its own arguments. */
interface Calling {
  io: CommandLineIo;
  isJson: boolean;
  consent: DatabaseConsent;
}

/** Runs a command, and returns the exit code. */
async function runParsed(command: Command, calling: Calling): Promise<number> {
  const { io, isJson, consent } = calling;
  const { env, stdout, stderr } = io;
  if (command.verb === 'keys generate') {
    const { key, id } = newApiKey(command.limited ? 'limited' : 'plain');
    await printTo(stdout, isJson ? printableJson({ id, key }) : key);
    return 0;
  }
  const config = readConfig(env);
  if (command.verb === 'secret reset') {
    const message = await resetSecret(config, systemClock, consent.mayMigrate);
    if (isJson) await printTo(stdout, printableJson({ message }));
    else stderr.write(`${message}\n`);
    return 0;
  }
  const ask: Ask = (asked) => askServer(config, asked, calling);
  if (command.verb === 'apply file') {
    const print = (text: string, lost?: string | null) => printTo(stdout, text, lost);
    const askForText = async (asked: CliCommand) => (await ask(asked)).print;
    return applyFile(command, { environment: env, ask: askForText, print, json: isJson });
  }
  if (isBackupCommand(command)) await backUpOrRestore(command, config, ask, calling);
  else {
    const { print, note } = await ask(command);
    if (print !== null) await printTo(stdout, print, lostSecret(command, print));
    if (note !== null) stderr.write(`${note}\n`);
  }
  return 0;
}

/** Passes a command to the running server, or runs it here. */
type Ask = (command: CliCommand) => Promise<CliOutput>;

async function backUpOrRestore(
  command: BackupCommand,
  config: Config,
  ask: Ask,
  { io, isJson }: Calling,
): Promise<void> {
  const { text, data } = await runBackupCommand(command, config, {
    clock: systemClock,
    announce: async (asked) => (await ask(asked)).print,
    stdout: io.stdout,
    // Read only when used: from then on, a first signal no longer ends the process.
    get signal() {
      return io.signal;
    },
  });
  // Standard output may be the backup itself.
  if (isJson && command.file !== '-') await printTo(io.stdout, printableJson(data));
  else io.stderr.write(`${isJson ? printableJson(data) : text}\n`);
}

/**
 * Prints a line. A failure is left to the process, which reports it at its end, unless a secret is
 * lost by it.
 *
 * @param lost what to do about that secret; null: the line has none
 */
function printTo(stdout: Writable, line: string, lost: string | null = null): Promise<void> {
  return new Promise((resolve, reject) => {
    stdout.write(`${line}\n`, (failure) => {
      if (!failure || lost === null) resolve();
      else reject(new Error(`Standard output cannot be written: ${failure.message}. ${lost}`));
    });
  });
}

function isVersionAsked(args: string[]): boolean {
  const [word, ...others] = args.filter((arg) => arg !== JSON_OPTION);
  return others.length === 0 && (word === '--version' || word === '-v');
}

function versionText(isJson: boolean): string {
  const schema = programSchemaVersion('sqlite');
  return isJson ? printableJson({ version, schema }) : `Lockyard ${version}, schema ${schema}`;
}

const JSON_OPTION = '--json';

/** The calling process itself makes and restores backups. */
const isBackupCommand = (command: CliCommand | BackupCommand): command is BackupCommand =>
  !('input' in command);

/** Whether a command consists of many changes, of which none is started after a signal. */
const endsEarly = (command: CliCommand): boolean =>
  command.verb === 'apply' ||
  (command.verb === 'names delete' && command.input.atMost !== undefined);

async function askServer(
  config: Config,
  command: CliCommand,
  calling: Calling,
): Promise<CliOutput> {
  const stop = endsEarly(command) ? calling.io.signal : undefined;
  const reply = await askRunningServer(config.dataDir, command, stop);
  if (reply?.ok !== false) return reply ?? runAlone(config, command, calling, stop);
  throw new LockyardError(reply.reason ?? 'INTERNAL', reply.message);
}

/** No server runs: the database is opened for this one command. */
async function runAlone(
  config: Config,
  command: CliCommand,
  { io, consent }: Calling,
  stop: AbortSignal | undefined,
): Promise<CliOutput> {
  refuseWithoutServer(command, config.dataDir);
  const mayCreate = isReading(command) ? null : consent.mayCreate;
  const found = await requireDatabase(config, { ...consent, mayCreate });
  const runtime = await openControlRuntime(config, createLog(), systemClock);
  const done = noteOf(found, programSchemaVersion(config.database.kind));
  if (done !== null) io.stderr.write(`${done}\n`);
  try {
    return await runCliCommand(runtime, command, () => !stop?.aborted);
  } finally {
    await runtime.close();
  }
}

/** What opening the database has changed in it, as a message; null: nothing. */
function noteOf({ place, isNew, schema }: DatabaseFound, own: number): string | null {
  if (isNew) return `Created a new database: ${place}`;
  if (schema === null || schema === own) return null;
  return (
    `The database was migrated from schema ${schema} to ${own}: ${place}. ` +
    'Servers of an older version do not start on it any more.'
  );
}

/** Does not wait for the end of the input: a person who types a line does not close it. */
async function readLine(stdin: Readable): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of stdin) {
    pieces.push(Buffer.from(piece));
    if (pieces.at(-1)?.includes('\n')) break;
  }
  return Buffer.concat(pieces).toString('utf8').split(/\r?\n/)[0] ?? '';
}
