import { parseArgs } from 'node:util';
import { type CliCommand, cliCommand, UsageError } from './cli-command';

const OPTIONS = {
  namespace: { type: 'string' },
  prefix: { type: 'string' },
  name: { type: 'string', multiple: true },
  count: { type: 'string' },
  reason: { type: 'string' },
} as const;

/**
 * Makes a command of `locks delete …` or `counters delete …`; null for any other words. Without a
 * count it asks what would go. Throws `UsageError`.
 */
export function parseDeleteCommand(words: string[]): CliCommand | null {
  const [noun, verb, ...rest] = words;
  if ((noun !== 'locks' && noun !== 'counters') || verb !== 'delete') return null;
  const { namespace, prefix, name: names, count, reason } = parseOptions(rest);
  const what = `${noun} delete`;
  if ((prefix === undefined) === (names === undefined)) {
    throw new UsageError(`${what} needs either --prefix or --name.`);
  }
  if ((count === undefined) !== (reason === undefined)) {
    throw new UsageError(
      `${what} needs both --count and --reason, or neither to see what would go.`,
    );
  }
  const kind = noun === 'locks' ? 'lock' : 'counter';
  const chosen = { namespace: namespace ?? 'default', kind, prefix, names };
  const parsed = cliCommand.safeParse({
    verb: 'names delete',
    input: { ...chosen, ...(count !== undefined && { atMost: Number(count), reason }) },
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = String(issue?.path.at(1) ?? 'name');
  const option = { names: 'name', atMost: 'count' }[field] ?? field;
  throw new UsageError(`--${option}: ${issue?.message ?? 'is not valid'}.`);
}

function parseOptions(args: string[]) {
  try {
    return parseArgs({ args, options: OPTIONS, allowPositionals: false }).values;
  } catch (error) {
    // Node's own words, of which the first sentence says what is wrong.
    throw new UsageError(`${(error as Error).message.split(/[.\n]/)[0]}.`);
  }
}
