import { parseArgs } from 'node:util';
import { z } from 'zod';
import { createKeyInput, createNamespaceInput } from '../contract/console/access-inputs';
import { password, role, userName } from '../contract/console/console-inputs';
import { deletionCommandInput } from '../contract/console/deletion-inputs';

/**
 * What the command line can ask for. Also what travels over the control socket, so it is checked
 * again there.
 */
export const cliCommand = z.discriminatedUnion('verb', [
  z.strictObject({ verb: z.literal('keys create'), input: createKeyInput }),
  z.strictObject({ verb: z.literal('namespaces create'), input: createNamespaceInput }),
  z.strictObject({
    verb: z.literal('users create'),
    /** Without a password, one is generated. */
    input: z.strictObject({ name: userName, role, password: password.optional() }),
  }),
  z.strictObject({
    verb: z.literal('users reset-password'),
    input: z.strictObject({ name: userName, password: password.optional() }),
  }),
  /** `shards` are those of the calling command: a server with another list does nothing. */
  z.strictObject({
    verb: z.literal('backends reshard'),
    input: z.strictObject({ backend: z.string().max(32), shards: z.array(z.string()).max(32) }),
  }),
  z.strictObject({ verb: z.literal('names delete'), input: deletionCommandInput }),
  /** Announces that a backup is about to be made; the calling command makes it. */
  z.strictObject({ verb: z.literal('backup'), input: z.strictObject({ file: z.string() }) }),
]);
export type CliCommand = z.output<typeof cliCommand>;

/** Words that make no command. The message is one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const USAGE = `Usage: npm run -s lockyard -- <command>

  keys create --name SERVICE --namespace NAMESPACE   Create an API key (printed once).
                                                     Repeat --namespace for several.
  namespaces create --name NAMESPACE [--backend ID]  Create a namespace (default backend: "default").
  users create --name NAME --role ROLE               Add a user: viewer, operator or admin.
  users reset-password --name NAME                   Reset a user's password.
  backends reshard ID                                Apply a new shard list; see docs/backends.md.
  locks delete --prefix PREFIX [--namespace NAMESPACE] [--count N --reason TEXT]
                                                     Delete free locks, at most N; without --count, only preview.
                                                     Or --name NAME, repeatable. Also: counters delete.
  backup FILE [--force]                              Back up to a file; the server may be running.
  restore FILE [--replace] [--quiet DURATION]        Restore (server stopped); see docs/operations.md.

Both users commands generate a password and print it; with --password-stdin they read one from standard input.

  exec NAME -- COMMAND   Run a command under a lock. Also: ls, inspect, release. They call the service at
                         LOCKYARD_URL with LOCKYARD_API_KEY; see docs/exec.md.
`;

const OPTIONS = {
  name: { type: 'string' },
  namespace: { type: 'string', multiple: true },
  backend: { type: 'string' },
  role: { type: 'string' },
  'password-stdin': { type: 'boolean' },
} as const;

type Option = keyof typeof OPTIONS;

/** Those that are words alone. */
type SimpleVerb = Exclude<CliCommand['verb'], 'backup' | 'backends reshard' | 'names delete'>;

const VERBS: Record<SimpleVerb, { needs: Option[]; takes: Option[] }> = {
  'keys create': { needs: ['name', 'namespace'], takes: [] },
  'namespaces create': { needs: ['name'], takes: ['backend'] },
  'users create': { needs: ['name', 'role'], takes: ['password-stdin'] },
  'users reset-password': { needs: ['name'], takes: ['password-stdin'] },
};

/**
 * Makes a command of the words after the program's name; null when help was asked for. Rejects with
 * `UsageError`.
 *
 * @param readPassword one line of standard input, read only when asked for
 */
export async function parseCommand(
  words: string[],
  readPassword: () => Promise<string>,
): Promise<CliCommand | null> {
  if (words.length === 0 || words.some((word) => /^(--help|-h|help)$/.test(word))) return null;
  const verb = words.slice(0, 2).join(' ');
  if (!isVerb(verb)) {
    throw new UsageError(`Unknown command "${verb}"; see: npm run -s lockyard -- --help`);
  }
  const values = readOptions(verb, words.slice(2));
  const { namespace, 'password-stdin': fromStdin, ...input } = values;
  const parsed = cliCommand.safeParse({
    verb,
    input: {
      ...input,
      ...(namespace && { namespaces: namespace }),
      ...(fromStdin && { password: await readPassword() }),
    },
  });
  if (!parsed.success) throw new UsageError(issueMessage(parsed.error));
  return parsed.data;
}

const isVerb = (verb: string): verb is SimpleVerb => Object.hasOwn(VERBS, verb);

function readOptions(verb: SimpleVerb, words: string[]) {
  const { needs, takes } = VERBS[verb];
  const values = parseOptions(words);
  const given = Object.keys(values) as Option[];
  const missing = needs.find((option) => !given.includes(option));
  if (missing) throw new UsageError(`${verb} needs --${missing}.`);
  const surplus = given.find((option) => ![...needs, ...takes].includes(option));
  if (surplus) throw new UsageError(`${verb} does not take --${surplus}.`);
  return values;
}

function parseOptions(words: string[]) {
  try {
    return parseArgs({ args: words, options: OPTIONS, allowPositionals: false }).values;
  } catch (error) {
    // Node's own words, of which the first sentence says what is wrong.
    throw new UsageError(`${(error as Error).message.split(/[.\n]/)[0]}.`);
  }
}

function issueMessage(error: z.ZodError): string {
  const [issue] = error.issues;
  const field = issue?.path.filter((part) => typeof part === 'string' && part !== 'input').at(-1);
  const option = field === 'namespaces' ? '--namespace' : `--${String(field ?? 'name')}`;
  return `${field === 'password' ? 'The password' : option}: ${issue?.message ?? 'is not valid'}.`;
}
