import { parseDuration } from '../../client/command/terminal/duration';
import type { Config } from '../bootstrap/config/config';
import { LockyardError } from '../contract/errors';
import { LEASE_MAX_MS } from '../contract/namespace-policy';
import { nearName } from '../platform/nearest-name';
import {
  type ApplyCommand,
  type BackupCommand,
  type CliCommand,
  cliCommand,
  type GenerateCommand,
  type ResetSecretCommand,
} from './cli-command';
import { PROVISIONING_VERBS, parseProvisioning } from './provisioning/parse-provisioning';
import { parseRecordAction, RECORD_ACTION_VERBS } from './records/parse-record-action';
import {
  issueMessage,
  numberIn,
  onlyOptions,
  parseOptions,
  SLIP_MAX,
  UsageError,
} from './usage-error';

const DELETE_OPTIONS = {
  namespace: { type: 'string' },
  prefix: { type: 'string' },
  name: { type: 'string', multiple: true },
  count: { type: 'string' },
  reason: { type: 'string' },
} as const;

const STDOUT = '-';

export type Command =
  | CliCommand
  | BackupCommand
  | ApplyCommand
  | GenerateCommand
  | ResetSecretCommand;

/** Input that a command may need besides its arguments; read only if it does. */
interface CommandInput {
  /** Reads one line of standard input. */
  readPassword: () => Promise<string>;
  readConfig: () => Config;
}

/** Options that every command accepts, in any position. */
const COMMON_OPTIONS = ['--json', '--create', '--migrate'];

/** The calling process itself prints the results of these. */
const OWN_VERBS: ReadonlySet<string> = new Set([
  'apply file',
  'backup',
  'restore',
  'secret reset',
  'keys generate',
]);

/**
 * Parses the arguments after the program's name; null when help was requested. Rejects with
 * `UsageError`, or with `LockyardError` `NOT_FOUND` for a backend without shards in this
 * environment.
 */
export async function parseCommand(
  args: string[],
  { readPassword, readConfig }: CommandInput,
): Promise<Command | null> {
  if (args.length === 0 || args.includes('--help') || args.includes('-h')) return null;
  const valued = COMMON_OPTIONS.find((option) => args.some((arg) => arg.startsWith(`${option}=`)));
  if (valued) throw new UsageError(`Option '${valued}' does not take an argument.`);
  const rest = args.filter((arg) => !COMMON_OPTIONS.includes(arg));
  const command = await parseWords(rest, { readPassword, readConfig });
  if (command === null || !args.includes('--json')) return command;
  return OWN_VERBS.has(command.verb) ? command : ({ ...command, json: true } as Command);
}

async function parseWords(
  args: string[],
  { readPassword, readConfig }: CommandInput,
): Promise<Command | null> {
  return (
    parseBackupCommand(args) ??
    parseReshardCommand(args, readConfig) ??
    parseDeleteCommand(args) ??
    parseRecordAction(args) ??
    parseApplyCommand(args) ??
    parseGenerateCommand(args) ??
    parseResetSecretCommand(args) ??
    parseProvisioningCommand(args, readPassword)
  );
}

/** Parses `locks delete …` or `counters delete …`; null for any other command. */
export function parseDeleteCommand([noun, verb, ...rest]: string[]): CliCommand | null {
  if ((noun !== 'locks' && noun !== 'counters') || verb !== 'delete') return null;
  const what = `${noun} delete`;
  const given = onlyOptions(what, rest, DELETE_OPTIONS, '--prefix or --name');
  const { namespace, prefix, name: names, count, reason } = given;
  if ((prefix === undefined) === (names === undefined)) {
    throw new UsageError(`${what} needs either --prefix or --name.`);
  }
  if ((count === undefined) !== (reason === undefined)) {
    throw new UsageError(
      `${what} needs both --count and --reason, or neither to show what would be deleted.`,
    );
  }
  const kind = noun === 'locks' ? 'lock' : 'counter';
  const chosen = { namespace: namespace ?? 'default', kind, prefix, names };
  const parsed = cliCommand.safeParse({
    verb: 'names delete',
    input: { ...chosen, ...(count !== undefined && { atMost: numberIn(count), reason }) },
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = String(issue?.path.at(1) ?? 'name');
  const option = { names: 'name', atMost: 'count' }[field] ?? field;
  throw new UsageError(`--${option}: ${issue?.message}.`);
}

function parseBackupCommand([verb, ...rest]: string[]): BackupCommand | null {
  if (verb !== 'backup' && verb !== 'restore') return null;
  const oneFile = ([file, surplus]: string[]): string => {
    if (!file || (file === STDOUT && verb === 'restore')) {
      throw new UsageError(`${verb} needs a FILE.`);
    }
    if (surplus === undefined) return file;
    throw new UsageError(`${verb} takes one FILE; unexpected "${surplus}".`);
  };
  if (verb === 'backup') {
    const { values, positionals } = parseOptions(rest, { force: { type: 'boolean' } });
    return { verb, file: oneFile(positionals), force: values.force === true };
  }
  const options = { replace: { type: 'boolean' }, quiet: { type: 'string' } } as const;
  const { values, positionals } = parseOptions(rest, options);
  const file = oneFile(positionals);
  return { verb, file, replace: values.replace === true, quietMs: readQuiet(values.quiet) };
}

/** The default is the longest possible lease; `--quiet` can set a shorter time. */
function readQuiet(text: string | undefined): number {
  if (text === undefined) return LEASE_MAX_MS;
  const quietMs = parseDuration(text);
  if (quietMs !== null && quietMs <= LEASE_MAX_MS) return quietMs;
  throw new UsageError(
    '--quiet: must be a duration of at most 24h, such as 90s or 5m; 0s for none.',
  );
}

/** The command carries the caller's own shard list. */
function parseReshardCommand(
  [noun, verb, backend, ...surplus]: string[],
  readConfig: () => Config,
): CliCommand | null {
  if (noun !== 'backends' || verb !== 'reshard') return null;
  if (!backend || backend.startsWith('-') || surplus.length > 0) {
    throw new UsageError('backends reshard takes exactly one backend ID.');
  }
  const found = readConfig().backends.find(({ id }) => id === backend.toLowerCase());
  if (!found?.shards) {
    throw new LockyardError(
      'NOT_FOUND',
      `The environment of this command has no backend "${backend}" with shards. Set it as for ` +
        'the servers.',
    );
  }
  const shards = found.shards.shards.map(({ name }) => name);
  return { verb: 'backends reshard', input: { backend: found.id, shards } };
}

/** Every command of two words. */
const VERBS = [
  ...PROVISIONING_VERBS,
  'keys generate',
  'counters delete',
  'locks delete',
  'backends reshard',
  'secret reset',
  ...RECORD_ACTION_VERBS,
];

const SINGLE_VERBS = ['apply', 'backup', 'restore', 'doctor'];

async function parseProvisioningCommand(
  args: string[],
  readPassword: () => Promise<string>,
): Promise<CliCommand | null> {
  // In a later position, `help` is the value of an option.
  if (args.slice(0, 3).includes('help')) return null;
  const asked = await parseProvisioning(args, readPassword);
  if (!asked) {
    throw new UsageError(unknownCommand(args));
  }
  const parsed = cliCommand.safeParse(asked);
  if (!parsed.success) throw new UsageError(issueMessage(parsed.error));
  return parsed.data;
}

function unknownCommand([noun = '', verb]: string[]): string {
  if (noun === '') return 'A command is missing; see: npm run -s lockyard -- --help';
  const typed = verb === undefined || verb.startsWith('-') ? noun : `${noun} ${verb}`;
  const meant = nearName(typed, VERBS, SLIP_MAX) ?? nearName(noun, SINGLE_VERBS, SLIP_MAX);
  const known = VERBS.filter((each) => [noun, `${noun}s`].includes(each.split(' ')[0] ?? ''));
  const there = known.length > 0 ? `; there are: ${known.join(', ')}` : '';
  const hint = meant === undefined ? `${there}; see` : `; did you mean "${meant}"? See`;
  return `Unknown command "${typed}"${hint}: npm run -s lockyard -- --help`;
}

function parseGenerateCommand([noun, verb, ...rest]: string[]): GenerateCommand | null {
  if (noun !== 'keys' || verb !== 'generate') return null;
  const asked = 'keys generate';
  const { limited = false } = onlyOptions(asked, rest, { limited: { type: 'boolean' } });
  return { verb: asked, limited };
}

function parseResetSecretCommand([noun, verb, ...rest]: string[]): ResetSecretCommand | null {
  if (noun !== 'secret' || verb !== 'reset') return null;
  const asked = 'secret reset';
  onlyOptions(asked, rest, {});
  return { verb: asked };
}

function parseApplyCommand([verb, ...rest]: string[]): ApplyCommand | null {
  if (verb !== 'apply') return null;
  const options = {
    file: { type: 'string', short: 'f' },
    'dry-run': { type: 'boolean' },
    prune: { type: 'boolean' },
  } as const;
  const given = onlyOptions(verb, rest, options, '-f FILE');
  const { file, 'dry-run': dryRun = false, prune = false } = given;
  if (!file) throw new UsageError('apply needs -f FILE.');
  return { verb: 'apply file', file, dryRun, prune };
}
