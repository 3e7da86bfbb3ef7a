import type {
  JsonSchema,
  OpenApiDocument,
  Operation,
} from '@/server/contract/openapi/openapi-shape';

/** One field of an input or answer, in words. */
export interface FieldDoc {
  name: string;
  type: string;
  /** The name of the shape of a list's items; null: it has none, or the field is no list. */
  shape: string | null;
  isRequired: boolean;
  /** As JSON; null where there is none. */
  fallback: string | null;
  description: string;
}

/** One answer that a caller has to expect. */
export interface OutcomeDoc {
  /** Null for an answer that has no outcomes. */
  outcome: string | null;
  description: string;
  fields: FieldDoc[];
  example: unknown;
}

export interface ProcedureDoc {
  name: string;
  method: 'GET' | 'POST';
  title: string;
  description: string;
  fields: FieldDoc[];
  outcomes: OutcomeDoc[];
  example: unknown;
  /** The HTTP statuses that refusals of this procedure can have. */
  statuses: number[];
}

/** Every procedure of the API's description, in its order. */
export function proceduresOf(document: OpenApiDocument): ProcedureDoc[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const { schema, example } = inputOf(operation);
      return {
        name: path.slice(1),
        method: method === 'get' ? ('GET' as const) : ('POST' as const),
        title: operation.summary,
        description: operation.description,
        fields: fieldsOf(follow(document, schema)),
        outcomes: outcomesOf(document, operation),
        example,
        statuses: Object.keys(operation.responses)
          .map(Number)
          .filter((status) => status >= 400),
      };
    }),
  );
}

/** The named shapes of the items of lists. */
export function shapesOf(document: OpenApiDocument, procedures: ProcedureDoc[]) {
  const fields = procedures.flatMap(({ outcomes }) => outcomes.flatMap((each) => each.fields));
  const names = [...new Set(fields.flatMap(({ shape }) => (shape === null ? [] : [shape])))];
  return names.map((name) => {
    const schema = document.components.schemas[name] ?? {};
    return { name, description: schema.description ?? '', fields: fieldsOf(schema) };
  });
}

/** The HTTP statuses of refusals, each with its reasons. */
export function errorsOf(document: OpenApiDocument): { status: number; reasons: string[] }[] {
  return Object.entries(document.components.responses).map(([name, { content }]) => {
    const narrowed = content['application/json'].schema.allOf?.at(-1);
    const data = narrowed?.properties?.error?.properties?.data?.properties;
    return {
      status: Number(name.replace('Error', '')),
      reasons: (data?.reason?.enum ?? []).map(String),
    };
  });
}

function inputOf({ requestBody, parameters }: Operation): {
  schema: JsonSchema;
  example?: unknown;
} {
  if (requestBody) return requestBody.content['application/json'];
  const fields = (parameters ?? []).map(({ name, schema, description, required, example }) => ({
    name,
    required,
    example,
    schema: { ...schema, description },
  }));
  const given = fields.filter(({ example }) => example !== undefined);
  return {
    schema: {
      type: 'object',
      required: fields.filter(({ required }) => required).map(({ name }) => name),
      properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    },
    example: Object.fromEntries(given.map(({ name, example }) => [name, example])),
  };
}

function outcomesOf(document: OpenApiDocument, { responses }: Operation): OutcomeDoc[] {
  const success = responses[200];
  if (!success || '$ref' in success) return [];
  const envelope = success.content['application/json'].schema;
  const data = follow(document, envelope.properties?.result?.properties?.data ?? {});
  const parts = data.oneOf?.map((part) => follow(document, part)) ?? [data];
  return parts.map((part) => {
    const { outcome, ...rest } = part.properties ?? {};
    return {
      outcome: outcome === undefined ? null : String(outcome.const),
      description: part.description ?? '',
      fields: fieldsOf({ ...part, properties: rest }),
      example: part.examples?.[0],
    };
  });
}

function fieldsOf({ properties = {}, required = [] }: JsonSchema): FieldDoc[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    type: typeLabel(schema),
    shape: schema.items?.$ref?.split('/').at(-1) ?? null,
    isRequired: required.includes(name),
    fallback: schema.default === undefined ? null : JSON.stringify(schema.default),
    description: schema.description ?? '',
  }));
}

function follow(document: OpenApiDocument, schema: JsonSchema): JsonSchema {
  const name = schema.$ref?.split('/').at(-1);
  return name === undefined ? schema : (document.components.schemas[name] ?? {});
}

/** The type of a field, in a few words. */
export function typeLabel(schema: JsonSchema): string {
  const { type, items, anyOf } = schema;
  if (anyOf) return anyOf.map(typeLabel).join(' | ');
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  switch (type) {
    case 'integer':
    case 'number':
      return `integer${formatRange(schema)}`;
    case 'boolean':
      return 'boolean';
    case 'string':
      return 'string';
    case 'array':
      return items?.$ref ? 'list of' : `list of ${items ? typeLabel(items) : 'anything'}s`;
    case 'object':
      if (schema.properties) return formatProperties(schema.properties);
      return schema.additionalProperties ? 'object of strings' : 'object';
    default:
      return type ?? 'anything';
  }
}

const formatProperties = (parts: Record<string, JsonSchema>) =>
  `{ ${Object.entries(parts)
    .map(([name, part]) => `${name}: ${typeLabel(part)}`)
    .join(', ')} }`;

const figure = (value: number) => value.toLocaleString('en-GB');

/** The bounds of a number, except those of every integer that JavaScript holds exactly. */
function formatRange({ minimum, maximum }: JsonSchema): string {
  const most = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  const least = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? minimum : undefined;
  if (least !== undefined && most !== undefined) return `, ${figure(least)} – ${figure(most)}`;
  if (least !== undefined) return `, ≥ ${figure(least)}`;
  return most === undefined ? '' : `, ≤ ${figure(most)}`;
}
