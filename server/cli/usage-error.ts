import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { z } from 'zod';
import { durationArgument } from '../../client/command/terminal/duration';
import { counted } from './counted';

/** Arguments that are no command. The message is one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Node's `parseArgs`, but an option that takes one value is refused where it is given twice.
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
    // Node would use the last value alone.
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
  try {
    return parseArgs({ args, options, allowPositionals, tokens: true });
  } catch (error) {
    // The first sentence of Node's message says what is wrong, the last line how to give a value
    // such as -5.
    const { message } = error as Error;
    const [, hint] = /^(To specify an option argument.*)$/m.exec(message) ?? [];
    const what = message.split(/[.\n]/)[0];
    throw new UsageError(hint ? `${what}: ${hint.replace(/^To/, 'to')}` : `${what}.`);
  }
}

/** The number that an option gives; NaN for an empty text, which JavaScript would read as 0. */
export const numberIn = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));

/** Fields of an input that an option of another name sets. */
const OPTION_OF: Record<string, string> = {
  namespaces: 'namespace',
  verbs: 'verb',
  expiresAt: 'expires',
  expiresInMs: 'expires',
  graceMs: 'grace',
  forMs: 'for',
  names: 'name',
  atMost: 'count',
};

/** Which option is wrong and how, in one line. */
export function issueMessage(error: z.ZodError): string {
  const [issue] = error.issues;
  const path = issue?.path.filter((part) => typeof part === 'string') ?? [];
  const field = path.filter((part) => !['input', 'key', 'counter'].includes(part)).at(-1) ?? 'name';
  const option = `--${OPTION_OF[field] ?? field}`;
  const says = (issue && durationMessage(field, issue)) ?? plainMessage(issue);
  return `${field === 'password' ? 'The password' : option}: ${says}.`;
}

/** What a value must be, for people: the schemas' own library speaks of its types. */
export function plainMessage(issue: z.core.$ZodIssue | undefined): string {
  if (!issue) return 'is not valid';
  if (!OF_THE_LIBRARY.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'too_small':
      return bound('at least', Number(issue.minimum), SIZES[issue.origin]);
    case 'too_big':
      return bound('at most', Number(issue.maximum), SIZES[issue.origin]);
    case 'invalid_type':
      return TYPES[issue.expected] ?? issue.message;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
    case 'unrecognized_keys':
      return 'there is no such setting; see docs/provisioning.md';
    default:
      return issue.message;
  }
}

/** Other messages are the schemas' own. */
const OF_THE_LIBRARY = /^(Too small|Too big|Invalid input|Invalid option|Unrecognized key)/;

/** @param what is counted; absent: the value is a number */
const bound = (atLeast: string, limit: number, what: string | undefined) =>
  what ? `must have ${atLeast} ${counted(limit, what)}` : `must be ${atLeast} ${limit}`;

/** What the size of a value counts; a number counts nothing. */
const SIZES: Record<string, string> = { string: 'character', array: 'value' };

const TYPES: Record<string, string> = {
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  string: 'must be a text',
  array: 'must be a list, such as ["host"]',
};

/** Durations are given as `30d`, not in the milliseconds of the schema; null for anything else. */
function durationMessage(field: string, issue: z.core.$ZodIssue): string | null {
  if (!field.endsWith('Ms')) return null;
  if (issue.code === 'too_small') {
    return `must be a duration of at least ${durationArgument(Number(issue.minimum))}`;
  }
  if (issue.code !== 'too_big') return null;
  return `must be a duration of at most ${durationArgument(Number(issue.maximum))}`;
}
