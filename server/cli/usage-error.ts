import { type ParseArgsConfig, parseArgs } from 'node:util';
import type { z } from 'zod';
import { durationArgument } from '../../client/command/terminal/duration';
import { LockyardError } from '../contract/errors';
import { nearName } from '../platform/nearest-name';

/** How many letters of a word may be wrong for a suggestion. */
export const SLIP_MAX = 2;

/** Arguments that are not a command. The message is one line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Node's `parseArgs` with positional arguments, except that a single-value option is refused if it
 * is given twice.
 *
 * @throws UsageError
 */
export function parseOptions<const O extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: O,
) {
  const parsed = parseKnown(args, options);
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

/**
 * The options of a command that takes nothing else.
 *
 * @param needs those that it needs, as `neededOptions` lists them; absent: none
 * @throws UsageError
 */
export function onlyOptions<const O extends NonNullable<ParseArgsConfig['options']>>(
  verb: string,
  args: string[],
  options: O,
  needs?: string,
) {
  const { values, tokens } = parseOptions(args, options);
  const at = tokens.findIndex(({ kind }) => kind === 'positional');
  const [before, surplus] = [tokens[at - 1], tokens[at]];
  if (surplus?.kind !== 'positional') return values;
  const isRestOfValue = before?.kind === 'option' && before.value !== undefined;
  const help = needs ? `It needs ${needs}.` : `See: npm run -s lockyard -- ${verb} --help`;
  const hint = isRestOfValue ? 'A value with spaces needs quotes.' : help;
  throw new UsageError(`${verb}: unexpected "${surplus.value}". ${hint}`);
}

/** Options that a command needs, in words; if it is an id, with the command that shows it. */
export function neededOptions(verb: string, names: readonly string[]): string {
  const [noun] = verb.split(' ');
  const isId = names.length === 1 && names[0] === 'id';
  return isId ? `--id; "${noun} list" shows the ids` : optionList(names);
}

/** @throws UsageError if a command was given an option that it does not accept */
export function refuseOtherOptions(
  verb: string,
  given: readonly string[],
  accepted: readonly string[],
): void {
  const surplus = given.find((option) => !accepted.includes(option));
  if (surplus === undefined) return;
  const only = accepted.length === 0 ? 'It has no options' : `It takes ${optionList(accepted)}`;
  throw new UsageError(`${verb} does not take --${surplus}. ${only}.`);
}

/** `--name, --token and --reason` */
function optionList(names: readonly string[]): string {
  const all = names.map((name) => `--${name}`);
  const last = all.pop();
  return all.length === 0 ? `${last}` : `${all.join(', ')} and ${last}`;
}

function parseKnown<const O extends NonNullable<ParseArgsConfig['options']>>(
  args: string[],
  options: O,
) {
  refuseReplaced(args);
  try {
    return parseArgs({ args, options, allowPositionals: true, tokens: true });
  } catch (error) {
    // The first sentence of Node's message says what is wrong, the last line how to pass a value
    // such as -5.
    const { message } = error as Error;
    const [, hint] = /^(To specify an option argument.*)$/m.exec(message) ?? [];
    const what = message.split(/[.\n]/)[0];
    if (hint) throw new UsageError(`${what}: ${hint.replace(/^To/, 'to')}`);
    const [, unknown] = /^Unknown option '--([^']+)'/.exec(message) ?? [];
    const meant = unknown && nearName(unknown, Object.keys(options), SLIP_MAX);
    throw new UsageError(`${what}${meant ? `; did you mean --${meant}?` : '.'}`);
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
  const option = path.includes('set') ? `--set ${field}` : `--${OPTION_OF[field] ?? field}`;
  const bounds = issue && (durationMessage(field, issue, error) ?? instantMessage(field, issue));
  const says = bounds ?? issue?.message;
  return `${field === 'password' ? 'The password' : option}: ${says}.`;
}

/** An operation's refusal of a field, such as `expiresAt`, with the name of the option instead. */
export function namingOption(error: unknown): unknown {
  if (!(error instanceof LockyardError) || error.reason !== 'INVALID') return error;
  const option = (field: string) => (OPTION_OF[field] ? `--${OPTION_OF[field]}` : field);
  const text = error.message.replace(/^\w+(?=: )/, option);
  return new LockyardError('INVALID', text, { cause: error });
}

/** Durations are given as `30d`, not in the milliseconds of the schema; null for anything else. */
function durationMessage(
  field: string,
  issue: z.core.$ZodIssue,
  { issues }: z.ZodError,
): string | null {
  if (!field.endsWith('Ms')) return null;
  if (issue.code === 'too_small') {
    return `must be a duration of at least ${durationArgument(Number(issue.minimum))}`;
  }
  if (issue.code !== 'too_big') return null;
  // A duration may exceed both the limit and what a whole number can be.
  const limits = issues.flatMap((each) =>
    each.code === 'too_big' && each.path.join() === issue.path.join() ? [Number(each.maximum)] : [],
  );
  return `must be a duration of at most ${durationArgument(Math.min(...limits))}`;
}

/** Instants are given as dates; null for anything else, and within the bounds. */
function instantMessage(field: string, issue: z.core.$ZodIssue): string | null {
  if (!field.endsWith('At')) return null;
  const date = (at: number | bigint) => new Date(Number(at)).toISOString();
  if (issue.code === 'too_small') return `must be at least ${date(issue.minimum)}`;
  return issue.code === 'too_big' ? `must be at most ${date(issue.maximum)}` : null;
}
