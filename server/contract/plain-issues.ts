import { z } from 'zod';

/**
 * Says in plain words what is wrong with an input and what is allowed. Set as the locale of the
 * schema library, whose own messages name its types, so that every reader of an input says the
 * same, including the command line and tRPC. A message of the schema itself takes precedence.
 */
z.config({ localeError: plainIssue });

/** The issue of a required field that is absent. */
export const MISSING = 'is missing';

function plainIssue({ code, input, schema, ...issue }: z.core.$ZodRawIssue): string {
  if (code === 'unrecognized_keys' && 'keys' in issue) return unknownFields(issue.keys, schema);
  if (input === undefined) return MISSING;
  return (schema && allowedBy(schema)) ?? 'is not valid';
}

const SHOWN_MAX_CHARS = 60;

/** Names only the first field: a caller can send very many, each very long. */
function unknownFields(names: unknown, schema: z.core.$ZodType | undefined): string {
  const [name] = names as string[];
  const text = String(name);
  const shown = text.length > SHOWN_MAX_CHARS ? `${text.slice(0, SHOWN_MAX_CHARS)}…` : text;
  const known = schema ? Object.keys(shapeOf(schema).properties ?? {}) : [];
  const has = known.length > 0 ? `there are ${known.join(', ')}` : 'there are none';
  return `has no field ${JSON.stringify(shown)}; ${has}`;
}

type Shape = z.core.JSONSchema.BaseSchema;

/** A cache: every schema is a constant, and describing one takes as long as many calls. */
const shapes = new WeakMap<z.core.$ZodType, Shape>();

function shapeOf(schema: z.core.$ZodType): Shape {
  let shape = shapes.get(schema);
  if (!shape) {
    shape = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    shapes.set(schema, shape);
  }
  return shape;
}

/** The values that a schema allows, in words; null if its shape does not say. */
function allowedBy(schema: z.core.$ZodType): string | null {
  const shape = shapeOf(schema);
  if (shape.const !== undefined) return `must be ${String(shape.const)}`;
  if (shape.enum) return `must be one of ${shape.enum.join(', ')}`;
  switch (shape.type) {
    case 'integer':
      return `must be a whole number from ${leastOf(shape)} to ${shape.maximum}`;
    case 'number':
      return 'must be a number';
    case 'boolean':
      return 'must be true or false';
    case 'string':
      return `must be a text${sized(shape.minLength, shape.maxLength, 'character')}`;
    case 'array':
      return `must be a list${sized(shape.minItems, shape.maxItems, 'value')}`;
    case 'object':
      return 'must be an object';
    default:
      return null;
  }
}

function leastOf({ minimum, exclusiveMinimum }: Shape): number | undefined {
  return typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : minimum;
}

function sized(least = 0, most: number | undefined, what: string): string {
  const of = (count: number) => `${count} ${what}${count === 1 ? '' : 's'}`;
  if (most === undefined) return least === 0 ? '' : ` of at least ${of(least)}`;
  return least === 0 ? ` of at most ${of(most)}` : ` of ${least} to ${of(most)}`;
}
