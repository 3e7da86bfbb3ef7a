import type { AnyRouter } from '@trpc/server';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { SERVICE_API } from '../../contract/service-api';
import { consoleRouter } from './console/console-router';
import { describeIssues, type InputParser } from './parse-input';

type Shape = z.core.JSONSchema.BaseSchema;

/** Each is wrong for most fields; a field may accept some. */
const WRONG = [
  null,
  true,
  '',
  ' ',
  'a\0b',
  '\ud800',
  'x'.repeat(2_000),
  -1,
  0,
  1.5,
  2 ** 53,
  Number.POSITIVE_INFINITY,
  [],
  {},
  [[]],
  Array.from({ length: 1_001 }, () => ({})),
];

/** Wrong values of this shape, with what is wrong at any depth. */
function* wrongValues(shape: Shape): Generator<unknown> {
  yield* WRONG;
  const inner = (shape.anyOf ?? []) as Shape[];
  for (const each of inner) yield* wrongValues(each);
  if (shape.type === 'array') {
    for (const item of wrongValues(shape.items as Shape)) yield [item, item];
  }
  if (shape.type !== 'object') return;
  yield { surprise: 1 };
  for (const [field, of] of Object.entries(shape.properties ?? {})) {
    for (const value of wrongValues(of as Shape)) yield { [field]: value };
  }
  if (typeof shape.additionalProperties === 'object') {
    yield { '': '' };
    for (const value of wrongValues(shape.additionalProperties)) yield { key: value };
  }
}

const shapeOf = (schema: z.ZodType) => z.toJSONSchema(schema, { io: 'input' }) as Shape;

/** What a caller reads if the issues of one field were all that is wrong with an input. */
function messageAbout(field: string | null, issues: z.core.$ZodIssue[]): string | null {
  const own = issues.filter(({ path }) => (path[0] ?? null) === field);
  return own.length === 0 ? null : describeIssues(own);
}

const procedures: Record<string, AnyRouter['_def']['procedures'][string]> =
  consoleRouter._def.procedures;
const consoleInputs = Object.entries(procedures).flatMap(([name, { _def }]) =>
  (_def as unknown as { inputs: InputParser<z.ZodType>[] }).inputs.map((parser) => ({
    name,
    parser,
    input: parser.schema,
  })),
);
const serviceInputs = Object.entries(SERVICE_API).map(([name, { input }]) => ({ name, input }));

/** Terms of the schema library, which mean nothing to callers. */
const OF_THE_LIBRARY =
  /expected|received|Too (small|big)|Invalid|Unrecognized|pattern|undefined|NaN|not valid/;

test.each([...serviceInputs, ...consoleInputs])(
  'an invalid input of $name is refused with a message that names the field and what is allowed',
  ({ input }) => {
    const { properties = {}, required = [] } = shapeOf(input);
    const fields = Object.keys(properties);
    const issuesOf = (value: unknown) => input.safeParse(value).error?.issues ?? [];
    expect(messageAbout(null, issuesOf(7))).toBe('The input must be an object');
    expect(messageAbout(null, issuesOf({ surprise: 1 }))).toBe(
      `The input has no field "surprise"; there are ${fields.join(', ')}`,
    );
    for (const field of required) {
      expect(messageAbout(field, issuesOf({}))).toBe(`${field}: is missing`);
    }
    for (const [field, shape] of Object.entries(properties)) {
      const messages = [...wrongValues(shape as Shape)].flatMap(
        (value) => messageAbout(field, issuesOf({ [field]: value })) ?? [],
      );
      expect(messages.length).toBeGreaterThan(0);
      for (const message of messages) {
        expect(message).not.toMatch(OF_THE_LIBRARY);
        expect(message.startsWith(`${field}: `) || message.startsWith(`${field}.`)).toBe(true);
      }
    }
  },
);

test.each(consoleInputs)(
  'the console reads the input of $name as the service API does',
  ({ parser }) => {
    const wrong = { names: Array.from({ length: 1_000 }, () => 7) };
    const refusal = { name: 'LockyardError', reason: 'INVALID' };
    return expect(parser.parseAsync(wrong)).rejects.toMatchObject(refusal);
  },
);
