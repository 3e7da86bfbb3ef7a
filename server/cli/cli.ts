import { text } from 'node:stream/consumers';
import { programSchemaVersion } from '@/db/schema-version';
import { version } from '@/package.json';
import { StartError } from '@/server/platform/start-error';
import { type Config, readConfig } from '../bootstrap/config/config';
import { openControlRuntime } from '../bootstrap/open-control-runtime';
import { LockyardError } from '../contract/errors';
import { systemClock } from '../platform/clock';
import { createLog } from '../platform/log';
import { runBackupCommand } from './backup-command';
import { type BackupCommand, type CliCommand, USAGE, UsageError } from './cli-command';
import { askRunningServer } from './control-socket';
import { parseCommand } from './parse-command';
import { runCliCommand } from './run-cli-command';

/**
 * The command line. Prints what was made, alone, on standard output; anything else is one line on
 * standard error. Ends with 0, with 2 for arguments that are no command, else with 1.
 */
async function main(args: string[]): Promise<void> {
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-v')) {
    process.stdout.write(`Lockyard ${version}, schema ${programSchemaVersion('sqlite')}\n`);
    return;
  }
  const command = await parseCommand(args, {
    readPassword: readLine,
    readConfig: () => readConfig(process.env),
  });
  if (command === null) {
    process.stdout.write(USAGE);
    return;
  }
  const config = readConfig(process.env);
  if (isBackupCommand(command)) {
    const announce = (backup: CliCommand) => ask(config, backup);
    const report = await runBackupCommand(command, config, systemClock, announce);
    // Standard output may be the backup itself.
    process.stderr.write(`${report}\n`);
    return;
  }
  const print = await ask(config, command);
  if (print !== null) process.stdout.write(`${print}\n`);
}

/** The calling process makes and restores backups itself. */
const isBackupCommand = (command: CliCommand | BackupCommand): command is BackupCommand =>
  !('input' in command);

async function ask(config: Config, command: CliCommand): Promise<string | null> {
  const reply = await askRunningServer(config.dataDir, command);
  if (reply?.ok === false) throw new StartError(reply.message);
  return reply ? reply.print : runAlone(config, command);
}

/** No server runs: the database is opened for this one command. */
async function runAlone(config: Config, command: CliCommand): Promise<string | null> {
  const runtime = await openControlRuntime(config, createLog(), systemClock);
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
main(process.argv.slice(2)).catch((error: unknown) => {
  const isForPeople =
    error instanceof StartError || error instanceof LockyardError || error instanceof UsageError;
  const message = isForPeople || error instanceof Error ? error.message : String(error);
  process.stderr.write(`${message.split('\n')[0]}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
});
