import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { z } from 'zod';
import { durationArgument } from '../../client/command/terminal/duration';

/** Arguments that are not a command. The message is one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Node's `parseArgs`, except that a single-value option is refused if it is given twice.
 *
 * @throws UsageError
 */
export function parseOptions<const O extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: O,
  allowPositionals = false,
) {
  const parsed = parseKnown(args, options, allowPositionals);
  const given = new Set<string>();
  for (const token of parsed.tokens) {
    if (token.kind !== 'option' || token.value === undefined) continue;
    const { name } = token;
    // Node would silently use only the last value.
    if (given.has(name) && !options[name]?.multiple) {
      throw new UsageError(`--${name}: may be given only once.`);
    }
    given.add(name);
  }
  return parsed;
}

function parseKnown<const O extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: O,
  allowPositionals: boolean,
) {
  refuseReplaced(args);
  try {
    return parseArgs({ args, options, allowPositionals, tokens: true });
  } catch (error) {
    // The first sentence of Node's message says what is wrong, the last line how to pass a value
    // such as -5.
    const { message } = error as Error;
    const [, hint] = /^(To specify an option argument.*)$/m.exec(message) ?? [];
    const what = message.split(/[.\n]/)[0];
    throw new UsageError(hint ? `${what}: ${hint.replace(/^To/, 'to')}` : `${what}.`);
  }
}

/** Node reads U+FFFD in place of bytes that are not UTF-8, which would name something else. */
function refuseReplaced(args: string[]): void {
  const word = args.find((each) => each.includes('\ufffd'));
  if (word === undefined) return;
  throw new UsageError(`"${word}" has bytes that are not UTF-8, or U+FFFD, which replaces them.`);
}

/** The number in an option's value; NaN for an empty text, which JavaScript would read as 0. */
export const numberIn = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));

/** Fields of an input that are set by an option of another name. */
const OPTION_OF: Record<string, string> = {
  namespaces: 'namespace',
  verbs: 'verb',
  expiresAt: 'expires',
  expiresInMs: 'expires',
  graceMs: 'grace',
  forMs: 'for',
  status: 'state',
  extendMs: 'by',
  names: 'name',
  atMost: 'count',
};

/** Which option is wrong and how, in one line. */
export function issueMessage(error: z.ZodError): string {
  const [issue] = error.issues;
  const path = issue?.path.filter((part) => typeof part === 'string') ?? [];
  const field = path.filter((part) => !['input', 'key', 'counter'].includes(part)).at(-1) ?? 'name';
  const option = `--${OPTION_OF[field] ?? field}`;
  const says = (issue && durationMessage(field, issue)) ?? issue?.message;
  return `${field === 'password' ? 'The password' : option}: ${says}.`;
}

/** Durations are given as `30d`, not in the milliseconds of the schema; null for anything else. */
function durationMessage(field: string, issue: z.core.$ZodIssue): string | null {
  if (!field.endsWith('Ms')) return null;
  if (issue.code === 'too_small') {
    return `must be a duration of at least ${durationArgument(Number(issue.minimum))}`;
  }
  if (issue.code !== 'too_big') return null;
  return `must be a duration of at most ${durationArgument(Number(issue.maximum))}`;
}
