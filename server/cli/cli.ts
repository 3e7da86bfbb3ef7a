import { text } from 'node:stream/consumers';
import { programSchemaVersion } from '@/db/schema-version';
import { version } from '@/package.json';
import { StartError } from '@/server/platform/start-error';
import { printableJson } from '../../client/command/terminal/printable';
import { newApiKey } from '../auth/api-keys/api-key-text';
import { type Config, readConfig } from '../bootstrap/config/config';
import { openControlRuntime } from '../bootstrap/open-control-runtime';
import { LockyardError } from '../contract/errors';
import { systemClock } from '../platform/clock';
import { createLog } from '../platform/log';
import { applyFile } from './apply/apply-file';
import { runBackupCommand } from './backup-command';
import { type BackupCommand, type CliCommand, USAGE } from './cli-command';
import { askRunningServer } from './control-socket';
import { runDoctor } from './doctor/run-doctor';
import { parseCommand } from './parse-command';
import { requireDatabase } from './require-database';
import { runCliCommand } from './run-cli-command';
import { UsageError } from './usage-error';

/**
 * The command line. Prints what was made, alone, on standard output; anything else is one line on
 * standard error. Ends with 0, with 2 for arguments that are no command, else with 1. `apply` ends
 * with 2 for a dry run that found differences, and for nothing else; `doctor` as it says.
 */
async function main(args: string[]): Promise<void> {
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-v')) {
    process.stdout.write(`Lockyard ${version}, schema ${programSchemaVersion('sqlite')}\n`);
    return;
  }
  if (args[0] === 'doctor') {
    const write = (text: string) => void process.stdout.write(text);
    process.exitCode = await runDoctor(args.slice(1), {
      env: process.env,
      clock: systemClock,
      write,
    });
    return;
  }
  const command = await parseCommand(args, {
    readPassword: readLine,
    readConfig: () => readConfig(process.env),
  });
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  if (command === null) {
    process.stdout.write(USAGE);
    return;
  }
  if (command.verb === 'keys generate') {
    const { key, id } = newApiKey(command.limited ? 'limited' : 'plain');
    print(command.json ? printableJson({ id, key }) : key);
    return;
  }
  const config = readConfig(process.env);
  const ask = (asked: CliCommand) => askServer(config, asked, args.includes(CREATE));
  if (command.verb === 'apply file') {
    const json = args.includes('--json');
    process.exitCode = await applyFile(command, { environment: process.env, ask, print, json });
    return;
  }
  if (isBackupCommand(command)) {
    const { text, data } = await runBackupCommand(command, config, systemClock, ask);
    const isJson = args.includes('--json');
    // Standard output may be the backup itself.
    if (isJson && command.file !== '-') print(printableJson(data));
    else process.stderr.write(`${isJson ? printableJson(data) : text}\n`);
    return;
  }
  const answer = await ask(command);
  if (answer !== null) print(answer);
}

const CREATE = '--create';

/** The calling process makes and restores backups itself. */
const isBackupCommand = (command: CliCommand | BackupCommand): command is BackupCommand =>
  !('input' in command);

async function askServer(
  config: Config,
  command: CliCommand,
  mayCreate: boolean,
): Promise<string | null> {
  const reply = await askRunningServer(config.dataDir, command);
  if (reply?.ok !== false) return reply ? reply.print : runAlone(config, command, mayCreate);
  const { reason, message } = reply;
  throw reason ? new LockyardError(reason, message) : new StartError(message);
}

/** No server runs: the database is opened for this one command. */
async function runAlone(
  config: Config,
  command: CliCommand,
  mayCreate: boolean,
): Promise<string | null> {
  const missing = await requireDatabase(config, mayCreate);
  const runtime = await openControlRuntime(config, createLog(), systemClock);
  if (missing !== null) process.stderr.write(`Created a new database: ${missing}\n`);
  try {
    return await runCliCommand(runtime, command);
  } finally {
    await runtime.close();
  }
}

async function readLine(): Promise<string> {
  return (await text(process.stdin)).split(/\r?\n/)[0] ?? '';
}

// What this process makes is for its owner alone.
process.umask(0o077);
const commandArguments = process.argv.slice(2);
main(commandArguments).catch((error: unknown) => {
  const message = (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';
  const reason = error instanceof LockyardError ? error.reason : 'INVALID';
  const isJson = commandArguments.includes('--json');
  const line = isJson ? printableJson({ error: { reason, message } }) : message;
  process.stderr.write(`${line}\n`);
  const isApply = commandArguments[0] === 'apply';
  process.exitCode = error instanceof UsageError && !isApply ? 2 : 1;
});
