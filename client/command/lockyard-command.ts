#!/usr/bin/env node
import { LockyardError } from '../errors';
import manifest from '../package.json' with { type: 'json' };
import { runExec } from './exec/run-exec';
import { CommandFailure, EXIT, refusalExitCode } from './exit-codes';
import { runMcp } from './mcp/run-mcp';
import { runInspect } from './run-inspect';
import { runLs } from './run-ls';
import { runRelease } from './run-release';
import { runWatch } from './run-watch';
import { openOutput } from './terminal/open-output';
import { createReporter } from './terminal/reporter';
import { USAGE } from './usage';
import { runWitness } from './witness/run-witness';

/** Many who look for a command of the server's folder, such as `keys`, try it here first. */
const ALL_COMMANDS =
  'see: lockyard --help; commands of the server, in its folder: npm run -s lockyard -- --help';

/** The command `lockyard`: what services and scripts do with locks from a shell. */
async function main([verb, ...words]: string[]): Promise<number> {
  switch (verb) {
    case 'exec':
      return (await runExec(words)) ?? help();
    case 'ls':
      return print(await runLs(words));
    case 'inspect':
      return print(await runInspect(words));
    case 'watch':
      return (await runWatch(words)) ?? help();
    case 'mcp':
      return (await runMcp(words)) ?? help();
    case 'witness':
      return (await runWitness(words)) ?? help();
    case 'release': {
      const released = await runRelease(words);
      return released ? print(released.text) || released.exitCode : help();
    }
    case '--version':
    case '-v':
      return print(`lockyard ${manifest.version}`);
    case undefined:
    case '--help':
    case '-h':
    case 'help':
      return help();
    default:
      throw new CommandFailure(EXIT.usage, `Unknown command "${verb}"; ${ALL_COMMANDS}`);
  }
}

function help(): number {
  return write(USAGE);
}

/** Null: help was asked for. */
function print(text: string | null): number {
  return text === null ? help() : write(`${text}\n`);
}

function write(text: string): number {
  openOutput().write(text);
  return 0;
}

function exitCodeOf(error: unknown): number {
  if (error instanceof CommandFailure) return error.exitCode;
  if (error instanceof LockyardError) return refusalExitCode(error.reason);
  return EXIT.software;
}

main(process.argv.slice(2))
  .catch((error: unknown) => {
    createReporter('normal').always(error instanceof Error ? error.message : String(error));
    return exitCodeOf(error);
  })
  .then((exitCode) => {
    process.exitCode = exitCode;
  });
