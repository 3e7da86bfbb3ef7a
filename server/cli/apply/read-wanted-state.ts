import { isMap, isNode, LineCounter, type Node, parseDocument } from 'yaml';
import type { z } from 'zod';
import { MISSING } from '../../contract/plain-issues';
import { exactCount } from '../../core/format/numbers';
import { StartError } from '../../platform/start-error';
import { type WantedState, wantedState } from './apply-input';

const FILE_MAX_BYTES = 512 * 1024;
/** As many as a section has entries. An alias counts as often as the aliases within it. */
const ALIASES_MAX = 1_000;

/** In place of messages of the parser that are for programmers. */
const PROBLEMS: Record<string, string> = {
  MULTIPLE_DOCS: 'A further YAML document begins here; the file must be a single one.',
  RESOURCE_EXHAUSTION: 'The file is nested too deeply.',
};
const TOO_MANY_ALIASES =
  `The file uses aliases too often: at most ${exactCount(ALIASES_MAX)} times, ` +
  'counting those within aliases.';

/**
 * Reads the wanted state from a file, and the environment variables that the file names.
 *
 * @throws StartError in one line, with the file's name and line number, for anything wrong in the
 *   file
 */
export function readWantedState(
  file: string,
  text: string,
  environment: Record<string, string | undefined>,
): { state: WantedState; env: Record<string, string> } {
  const failAt = (line: number, message: string) =>
    new StartError(`${file}:${line}: ${message.split('\n')[0]}`);
  if (Buffer.byteLength(text) > FILE_MAX_BYTES) throw failAt(1, 'The file is over 512 KB.');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem) {
    const message = PROBLEMS[problem.code] ?? problem.message;
    throw failAt(lines.linePos(problem.pos[0]).line, message);
  }
  const lineOf = (path: PropertyKey[], key?: string) => {
    const node = nodeAt(document.contents, path, key);
    return node?.range ? lines.linePos(node.range[0]).line : 1;
  };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: ALIASES_MAX });
  } catch (error) {
    const { message } = error as Error;
    throw failAt(1, message.startsWith('Excessive alias count') ? TOO_MANY_ALIASES : message);
  }
  const parsed = wantedState.safeParse(value);
  if (!parsed.success) {
    const { path, message, key } = firstIssue(parsed.error.issues);
    const where = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`));
    const field = where.join('').replace(/^\./, '');
    const isOfFile = field === '' && key === undefined;
    const says = isOfFile ? 'The file must be a map, such as version: 1.' : message;
    throw failAt(lineOf(path, key), field === '' ? says : `${field}: ${says}`);
  }
  const named = [...variablesOf(parsed.data)];
  const unset = named.filter(({ name }) => !environment[name]);
  const [first] = unset;
  if (first) throw failAt(lineOf(first.path), notSet([...new Set(unset.map(({ name }) => name))]));
  const env = Object.fromEntries(named.map(({ name }) => [name, environment[name] ?? '']));
  return { state: parsed.data, env };
}

function notSet([first, ...others]: string[]): string {
  if (others.length === 0) return `The environment variable ${first} is not set.`;
  return `These environment variables are not set: ${[first, ...others].join(', ')}.`;
}

interface FirstIssue {
  path: PropertyKey[];
  message: string;
  /** An unknown key of the object at `path`. */
  key?: string | undefined;
}

/** The first issue; if all alternatives fail, that of the last one, which is a map. */
function firstIssue([issue]: z.core.$ZodIssue[], before: PropertyKey[] = []): FirstIssue {
  if (!issue) return { path: before, message: 'is not valid' };
  const path = [...before, ...issue.path];
  if (issue.code === 'invalid_union') {
    const last = issue.errors.at(-1);
    if (last && last.length > 0 && last[0]?.path.length !== 0) return firstIssue(last, path);
    if (last?.[0]?.code === 'unrecognized_keys') return firstIssue(last, path);
    return { path, message: 'must be "default", or a map' };
  }
  if (issue.code === 'unrecognized_keys') {
    const [key] = issue.keys;
    return { path, key, message: `there is no "${key}" here` };
  }
  return { path, message: messageOf(issue, path.at(-1)) };
}

/** What a file never contains itself, but names the environment variable of. */
const SECRETS: (PropertyKey | undefined)[] = ['password', 'secret'];

/** YAML calls objects maps. */
function messageOf({ code, message, ...issue }: z.core.$ZodIssue, field?: PropertyKey): string {
  const isMap = code === 'invalid_type' && 'expected' in issue && issue.expected === 'object';
  if (!isMap || message === MISSING) return message;
  return `must be a map${SECRETS.includes(field) ? ' such as { fromEnv: NAME }' : ''}`;
}

/** The node at a path, or the nearest above it; with `key`, that key itself. */
function nodeAt(root: Node | null, path: PropertyKey[], key?: string): Node | null {
  let node = root;
  for (const part of path) {
    const next: unknown = isNode(node) && 'get' in node ? node.get(part, true) : undefined;
    if (!isNode(next)) return node;
    node = next;
  }
  if (key === undefined || !isMap(node)) return node;
  const pair = node.items.find((item) => String(item.key) === key);
  return isNode(pair?.key) ? pair.key : node;
}

function* variablesOf({ users = [], keys = [] }: WantedState) {
  for (const [at, { password }] of users.entries()) {
    if (password) yield { name: password.fromEnv, path: ['users', at, 'password', 'fromEnv'] };
  }
  for (const [at, { secret }] of keys.entries()) {
    if (secret) yield { name: secret.fromEnv, path: ['keys', at, 'secret', 'fromEnv'] };
  }
}
