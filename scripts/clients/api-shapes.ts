import type {
  JsonSchema,
  OpenApiDocument,
  Parameter,
} from '@/server/contract/openapi/openapi-shape';
import { pascalCase } from './names-and-texts';

/** A type that every language has. `one of` lists texts; a `shape` is named in `ApiShapes`. */
export type ApiType =
  | { kind: 'text' | 'integer' | 'boolean' | 'texts by text' }
  | { kind: 'one of'; texts: string[] }
  | { kind: 'shape'; name: string }
  | { kind: 'list'; of: ApiType }
  | { kind: 'nullable'; of: ApiType };

export interface ApiField {
  /** The name on the wire. */
  name: string;
  type: ApiType;
  isOptional: boolean;
  description: string | undefined;
}

/** An object on the wire; or, with `anyOf`, one of several, distinguished by `outcome`. */
export interface ApiShape {
  name: string;
  description: string | undefined;
  /** For a choice: the fields of all its shapes, each optional unless every shape requires it. */
  fields: ApiField[];
  anyOf: string[] | null;
}

export interface ApiProcedure {
  /** Such as `lock.acquire`. */
  name: string;
  kind: 'mutation' | 'query';
  summary: string;
  input: string;
  answer: string;
}

/** The service API, as far as its callers in other languages need it. */
export interface ApiShapes {
  shapes: ApiShape[];
  procedures: ApiProcedure[];
  reasons: string[];
}

/** Names for objects that are anonymous in the description, by the names of their fields. */
const NAMED_BY_FIELDS: Record<string, string> = {
  'at by reason': 'Remark',
  'capacity inUse named': 'PermitUse',
  'id size': 'HolderSet',
  'holders name queueLength state': 'Block',
  'expiresAt expiresInMs holdCount mode name rev token waitedForTraceparent waitedMs': 'GrantOfSet',
  'cause name token': 'EndOfSet',
  'mode name': 'LockOfSet',
  'pid pidStart': 'ProcessToLookAt',
  'evidence pid pidStart state': 'WitnessedProcess',
};

/** Shapes for witnesses, which are part of the server's package. */
const LEFT_OUT = /^(Error|Witness.*)$/;

/** Reads the description that the server publishes. Throws for anything unknown. */
export function apiShapes(document: OpenApiDocument): ApiShapes {
  const reader = new ShapeReader(document.components.schemas);
  for (const name of Object.keys(document.components.schemas)) {
    if (!LEFT_OUT.test(name)) reader.readNamed(name);
  }
  const procedures = Object.entries(document.paths)
    .map(([path, item]) => procedureOf(path.slice(1), item))
    .filter(({ input }) => !LEFT_OUT.test(input));
  for (const { name, input } of procedures) {
    const parameters = document.paths[`/${name}`]?.get?.parameters;
    if (parameters) reader.readParameters(input, parameters);
  }
  const error = document.components.schemas.Error?.properties?.error;
  const reasons = error?.properties?.data?.properties?.reason?.enum as string[];
  return { shapes: [...reader.shapes.values()], procedures, reasons };
}

type PathItem = OpenApiDocument['paths'][string];

function procedureOf(name: string, item: PathItem): ApiProcedure {
  const operation = item.get ?? item.post;
  if (!operation) throw new Error(`${name} is neither a query nor a mutation.`);
  const success = operation.responses[200];
  if (!success || !('content' in success)) throw new Error(`${name} answers nothing.`);
  const envelope = success.content['application/json'].schema;
  const data = envelope.properties?.result?.properties?.data;
  const sent = operation.requestBody?.content['application/json'].schema;
  return {
    name,
    kind: item.get ? 'query' : 'mutation',
    summary: operation.summary,
    input: sent ? referenced(sent) : `${pascalCase(operation.operationId)}Input`,
    answer: referenced(data),
  };
}

function referenced(schema: JsonSchema | undefined): string {
  const name = schema?.$ref?.split('/').at(-1);
  if (!name) throw new Error(`This has no name: ${JSON.stringify(schema)}`);
  return name;
}

class ShapeReader {
  readonly shapes = new Map<string, ApiShape>();

  constructor(private readonly schemas: Record<string, JsonSchema>) {}

  readNamed(name: string): ApiShape {
    const known = this.shapes.get(name);
    if (known) return known;
    const schema = this.schemas[name];
    if (!schema) throw new Error(`There is no schema ${name}.`);
    const shape = schema.oneOf ? this.choice(name, schema.oneOf) : this.object(name, schema);
    shape.description = schema.description;
    this.shapes.set(name, shape);
    return shape;
  }

  /** The input of a query, whose fields are parameters. */
  readParameters(name: string, parameters: Parameter[]): void {
    const properties = parameters.map(({ name: field, schema, description }) => [
      field,
      { ...schema, description },
    ]);
    const required = parameters.filter((each) => each.required).map((each) => each.name);
    const schema: JsonSchema = { properties: Object.fromEntries(properties), required };
    this.shapes.set(name, this.object(name, schema));
  }

  private object(name: string, { properties = {}, required = [] }: JsonSchema): ApiShape {
    const fields = Object.entries(properties).map(([field, schema]) => ({
      name: field,
      type: this.type(schema, name, field),
      isOptional: !required.includes(field),
      description: schema.description,
    }));
    return { name, description: undefined, fields, anyOf: null };
  }

  private choice(name: string, options: JsonSchema[]): ApiShape {
    const shapes = options.map((option) => this.readNamed(referenced(option)));
    const fields = new Map<string, ApiField>();
    for (const field of shapes.flatMap((shape) => shape.fields)) {
      const known = fields.get(field.name);
      const isNeeded = shapes.every((shape) =>
        shape.fields.some((other) => other.name === field.name && !other.isOptional),
      );
      const type = known ? merged(known.type, field.type) : field.type;
      const description = known?.description ?? field.description;
      fields.set(field.name, { ...field, type, description, isOptional: !isNeeded });
    }
    const anyOf = shapes.map((shape) => shape.name);
    return { name, description: undefined, fields: [...fields.values()], anyOf };
  }

  private type(schema: JsonSchema, parent: string, field: string): ApiType {
    const where = `${parent}.${field}`;
    if (schema.$ref) return { kind: 'shape', name: this.readNamed(referenced(schema)).name };
    if (schema.const === true) return { kind: 'boolean' };
    if (typeof schema.const === 'string') return { kind: 'one of', texts: [schema.const] };
    if (schema.enum) return { kind: 'one of', texts: schema.enum as string[] };
    if (schema.anyOf) {
      const [some, none] = schema.anyOf;
      if (schema.anyOf.length !== 2 || !some || none?.type !== 'null') throw unknown(where, schema);
      return { kind: 'nullable', of: this.type(some, parent, field) };
    }
    const type: unknown = schema.type;
    if (Array.isArray(type) && type.length === 2 && type[1] === 'null') {
      return { kind: 'nullable', of: this.type({ ...schema, type: type[0] }, parent, field) };
    }
    if (type === 'array' && schema.items) {
      return { kind: 'list', of: this.type(schema.items, parent, field) };
    }
    if (type === 'object' && schema.properties) return this.inline(schema, where);
    if (type === 'object') return { kind: 'texts by text' };
    if (type === 'string') return { kind: 'text' };
    if (type === 'integer') return { kind: 'integer' };
    if (type === 'boolean') return { kind: 'boolean' };
    throw unknown(where, schema);
  }

  private inline(schema: JsonSchema, where: string): ApiType {
    const fields = Object.keys(schema.properties ?? {});
    const name = NAMED_BY_FIELDS[fields.sort().join(' ')];
    if (!name) throw new Error(`${where} needs a name in NAMED_BY_FIELDS: ${fields.join(' ')}`);
    if (!this.shapes.has(name)) this.shapes.set(name, this.object(name, schema));
    return { kind: 'shape', name };
  }
}

/**
 * The type of a choice's field: it may have several lists of texts, but must not differ otherwise.
 */
function merged(one: ApiType, other: ApiType): ApiType {
  if (one.kind === 'one of' && other.kind === 'one of') {
    return { kind: 'one of', texts: [...new Set([...one.texts, ...other.texts])] };
  }
  if (JSON.stringify(one) === JSON.stringify(other)) return one;
  throw new Error(`${JSON.stringify(one)} and ${JSON.stringify(other)} are types of one field.`);
}

const unknown = (where: string, schema: JsonSchema) =>
  new Error(`${where} is of a type that has no counterpart: ${JSON.stringify(schema)}`);
