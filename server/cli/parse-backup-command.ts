import { parseArgs } from 'node:util';
import { parseDuration } from '../../client/command/terminal/duration';
import { LEASE_MAX_MS } from '../contract/namespace-policy';
import { UsageError } from './cli-command';

/** What the command line was asked to do with a backup. `file` `-`: standard output. */
export type BackupCommand =
  | { verb: 'backup'; file: string; force: boolean }
  | { verb: 'restore'; file: string; replace: boolean; quietMs: number };

const STDOUT = '-';

/** Makes a command of `backup …` or `restore …`; null for any other words. Throws `UsageError`. */
export function parseBackupCommand(words: string[]): BackupCommand | null {
  const [verb, ...rest] = words;
  if (verb !== 'backup' && verb !== 'restore') return null;
  const isBackup = verb === 'backup';
  const { values, positionals } = parseOptions(rest, isBackup);
  const [file, surplus] = positionals;
  if (!file || (file === STDOUT && !isBackup)) throw new UsageError(`${verb} needs a FILE.`);
  if (surplus !== undefined) throw new UsageError(`${verb} takes one FILE, not "${surplus}" too.`);
  if (isBackup) return { verb, file, force: values.force === true };
  return { verb, file, replace: values.replace === true, quietMs: readQuiet(values.quiet) };
}

function parseOptions(args: string[], isBackup: boolean) {
  const options = isBackup
    ? ({ force: { type: 'boolean' } } as const)
    : ({ replace: { type: 'boolean' }, quiet: { type: 'string' } } as const);
  try {
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    return { values: values as Record<string, string | boolean | undefined>, positionals };
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split(/[.\n]/)[0]}.`);
  }
}

/** The longest possible lease, unless the operator passes a shorter time with --quiet. */
function readQuiet(text: string | boolean | undefined): number {
  if (typeof text !== 'string') return LEASE_MAX_MS;
  const quietMs = parseDuration(text);
  if (quietMs !== null && quietMs <= LEASE_MAX_MS) return quietMs;
  throw new UsageError(
    '--quiet: must be a duration of at most 24h, such as 90s or 5m; 0s for none.',
  );
}
