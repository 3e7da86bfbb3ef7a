import { z } from 'zod';
import { LockyardError } from '../../contract/errors';

/** A schema looks at the whole of a shorter list, so that all of its faults can be named. */
const LIST_WHOLE_MAX = 20;

/**
 * The input of a call as its schema reads it. Finding out that an input is wrong costs little more
 * than accepting it: of a long list, only the first wrong value is looked for.
 *
 * @throws LockyardError `INVALID`, saying which fields are wrong and how
 */
export function parseInput<S extends z.ZodType>(schema: S, input: unknown): z.output<S> {
  const ctx: z.core.ParseContextInternal = { async: false, abortEarly: hasLongList(input) };
  const result = schema._zod.run({ value: input, issues: [] }, ctx);
  if (result instanceof Promise) throw new z.core.$ZodAsyncError();
  if (result.issues.length === 0) return result.value as z.output<S>;
  const issues = result.issues
    .slice(0, ISSUES_MAX)
    .map((issue) => z.core.util.finalizeIssue(issue, ctx, z.config()));
  throw new LockyardError('INVALID', describeIssues(issues));
}

/** What tRPC takes as the parser of an input; it calls `parseAsync`. */
export interface InputParser<S extends z.ZodType> {
  readonly schema: S;
  parseAsync(input: unknown): Promise<z.output<S>>;
  /** Only for types, as in schemas of the library. */
  readonly _input: z.input<S>;
  readonly _output: z.output<S>;
}

/** `parseInput` for tRPC. */
export function asParser<S extends z.ZodType>(schema: S): InputParser<S> {
  const parser: Omit<InputParser<S>, '_input' | '_output'> = {
    schema,
    parseAsync: async (input) => parseInput(schema, input),
  };
  return parser as InputParser<S>;
}

function hasLongList(input: unknown): boolean {
  if (typeof input !== 'object' || input === null) return false;
  return Object.values(input).some(
    (value) => Array.isArray(value) && value.length > LIST_WHOLE_MAX,
  );
}

const ISSUES_MAX = 5;
const MESSAGE_MAX_CHARS = 500;

/** Which field is wrong and how: `leaseMs: must be a whole number from 100 to 86400000`. */
export function describeIssues(issues: readonly z.core.$ZodIssue[]): string {
  const lines = issues.slice(0, ISSUES_MAX).map((issue) => {
    // The library's own message only says that a key is bad, and repeats it at any length.
    const isKey = issue.code === 'invalid_key';
    const message = isKey ? `a key ${issue.issues[0]?.message}` : issue.message;
    const field = (isKey ? issue.path.slice(0, -1) : issue.path).map(String).join('.');
    return field === '' ? `The input ${message}` : `${field}: ${message}`;
  });
  const text = [...new Set(lines)].join('; ');
  return text.length > MESSAGE_MAX_CHARS ? `${text.slice(0, MESSAGE_MAX_CHARS)}…` : text;
}
