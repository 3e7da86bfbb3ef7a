import { z } from 'zod';
import { ERROR_TABLE, retryAfterOf } from '../error-table';
import { REASON_LABELS, REASONS, type Reason } from '../errors';
import { KEY_DETAIL_LABEL } from '../key-limits';
import { ANSWER_SCHEMAS, SERVICE_API, type ServiceProcedure } from '../service-api';
import { OPENAPI_INTRO } from './openapi-intro';
import type {
  Header,
  JsonSchema,
  OpenApiDocument,
  Operation,
  Parameter,
  Response,
} from './openapi-shape';

const TAGS = [
  { name: 'lock', description: 'Locks with leases, queues and fencing tokens.' },
  { name: 'counter', description: 'Counters that never leave their bounds.' },
  { name: 'witness', description: 'Reports on the processes that hold locks.' },
];

/** The reasons of only those procedures that list them; any procedure can fail with the others. */
const LISTED_REASONS: readonly Reason[] = ['CONFLICT', 'NAMESPACE_FULL'];

/** The service API as OpenAPI 3.1, made from the schemas that the server itself uses. */
export function openApiDocument(): OpenApiDocument {
  const procedures = Object.entries<ServiceProcedure>(SERVICE_API);
  const reasons = [...new Set(procedures.flatMap(([, terms]) => reasonsOf(terms)))];
  return {
    openapi: '3.1.0',
    info: {
      title: 'Lockyard service API',
      version: '1',
      summary:
        'Distributed locks with leases, queues and fencing tokens, and bounded counters, ' +
        'over plain HTTP.',
      description: OPENAPI_INTRO,
      contact: { name: 'The operators of this server' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/api/v1', description: 'The server that this description comes from.' }],
    security: [{ apiKey: [] }],
    tags: TAGS,
    paths: Object.fromEntries(
      procedures.map(([name, terms]) => [`/${name}`, pathItem(name, terms)]),
    ),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, as `Authorization: Bearer <key>`. Its name is the service.',
        },
      },
      headers: { 'X-Request-Id': REQUEST_ID_HEADER },
      responses: Object.fromEntries(
        statusesOf(reasons).map((status) => [
          `Error${status}`,
          errorResponse(status, reasonsWith(status, [...REASONS])),
        ]),
      ),
      schemas: { ...schemas(), Error: errorSchema() },
    },
  };
}

/** Every reason with which a procedure can fail. */
const reasonsOf = ({ alsoFails }: ServiceProcedure): Reason[] =>
  REASONS.filter((reason) => !LISTED_REASONS.includes(reason) || alsoFails.includes(reason));

const reasonsWith = (status: number, reasons: Reason[]) =>
  reasons.filter((reason) => ERROR_TABLE[reason].httpStatus === status);

const statusesOf = (reasons: Reason[]) =>
  [...new Set(reasons.map((reason): number => ERROR_TABLE[reason].httpStatus))].sort(
    (a, b) => a - b,
  );

function pathItem(name: string, terms: ServiceProcedure): Record<string, Operation> {
  const { title, says, example, kind } = terms;
  const errors = statusesOf(reasonsOf(terms)).map((status) => [
    status,
    { $ref: `#/components/responses/Error${status}` },
  ]);
  const common = {
    operationId: camel(name),
    summary: title,
    description: says,
    tags: [name.split('.')[0] ?? name],
    responses: { 200: success(name, terms), ...Object.fromEntries(errors) },
  };
  if (kind === 'query') {
    return { get: { ...common, parameters: parametersOf(terms) } };
  }
  const input = { schema: ref(inputName(name)), example };
  const requestBody = { required: true, content: { 'application/json': input } };
  return { post: { ...common, requestBody } };
}

/** The fields of a query's input as parameters. */
function parametersOf({ input, example }: ServiceProcedure): Parameter[] {
  const { properties = {}, required = [] } = z.toJSONSchema(input, { io: 'input' }) as JsonSchema;
  return Object.entries(properties).map(([name, { description = '', ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    schema,
    ...(Object.hasOwn(example, name) && { example: example[name] }),
  }));
}

/** The response with a procedure's answer in its envelope. */
function success(name: string, { answer, isStreamed }: ServiceProcedure): Response {
  const schema: JsonSchema = {
    type: 'object',
    required: ['result'],
    properties: {
      result: {
        type: 'object',
        required: ['data'],
        properties: { data: ref(answerName(name, answer)) },
      },
    },
  };
  return {
    description: 'The answer, as `result.data`.',
    headers: { 'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' } },
    content: {
      'application/json': { schema },
      ...(isStreamed && { 'text/event-stream': { schema: EVENT_STREAM } }),
    },
  };
}

const EVENT_STREAM: JsonSchema = {
  type: 'string',
  description:
    'With `Accept: text/event-stream`: one event for each answer. Its `data` is what would be ' +
    '`result.data`; its `id` is the position to resume from, in `since` or `Last-Event-ID`. A ' +
    'refusal after the first event is the last event, `refused`.',
};

/** All bodies and answers by name, described as inputs: fields with a default are optional. */
function schemas(): Record<string, JsonSchema> {
  const named = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(ANSWER_SCHEMAS)) named.add(schema, { id });
  for (const [name, { input, kind }] of Object.entries<ServiceProcedure>(SERVICE_API)) {
    if (kind === 'mutation') named.add(input, { id: inputName(name) });
  }
  const made = z.toJSONSchema(named, { io: 'input', uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(
    Object.entries(made.schemas).map(([id, schema]) => [id, asComponent(schema as JsonSchema)]),
  );
}

/** Removes the dialect and the id, which OpenAPI 3.1 does not need; adds the discriminator. */
function asComponent({ $schema, $id, ...schema }: JsonSchema): JsonSchema {
  if (!schema.oneOf) return schema;
  const mapping = Object.fromEntries(
    schema.oneOf.map(({ $ref = '' }) => [outcomeOf($ref.split('/').at(-1) ?? ''), $ref]),
  );
  return { ...schema, discriminator: { propertyName: 'outcome', mapping } };
}

function outcomeOf(schemaName: string): string {
  const schema = Object.entries<z.ZodType>(ANSWER_SCHEMAS).find(
    ([name]) => name === schemaName,
  )?.[1];
  const outcome: unknown = schema instanceof z.ZodObject ? schema.shape.outcome : undefined;
  if (outcome instanceof z.ZodLiteral) return String(outcome.value);
  throw new Error(`${schemaName} must be a named schema with one outcome.`);
}

function answerName(procedure: string, answer: z.ZodType): string {
  const found = Object.entries(ANSWER_SCHEMAS).find(([, schema]) => schema === answer);
  if (found) return found[0];
  throw new Error(`The answer of ${procedure} has no name in ANSWER_SCHEMAS.`);
}

const inputName = (procedure: string) => `${pascal(procedure)}Input`;

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

const pascal = (name: string) =>
  name
    .split('.')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');

const camel = (name: string) => {
  const text = pascal(name);
  return text.charAt(0).toLowerCase() + text.slice(1);
};

const REQUEST_ID_HEADER: Header = {
  description: 'Identifies this request in the server’s log. The same as `error.data.requestId`.',
  required: true,
  schema: { type: 'string' },
};

const RETRY_AFTER_HEADER: Header = {
  description: 'When to try again, in whole seconds; `error.data.retryAfterMs` is exact.',
  required: true,
  schema: { type: 'string', pattern: '^[1-9][0-9]*$' },
};

/** The shape of every refusal. */
const errorSchema = (): JsonSchema => ({
  type: 'object',
  description: 'A refusal. `error.data.reason` is a contract; the message is for people.',
  required: ['error'],
  properties: {
    error: {
      type: 'object',
      required: ['message', 'code', 'data'],
      properties: {
        message: { type: 'string', description: 'For people. It contains no secret.' },
        code: { type: 'integer', description: 'The JSON-RPC number of `data.code`.' },
        data: {
          type: 'object',
          required: ['code', 'httpStatus', 'reason', 'requestId'],
          properties: {
            code: { type: 'string', description: 'The tRPC name of the status.' },
            httpStatus: { type: 'integer' },
            reason: { type: 'string', enum: Object.keys(REASON_LABELS) },
            path: { type: 'string', description: 'The procedure, if one was reached.' },
            retryAfterMs: {
              type: 'integer',
              minimum: 1,
              description: 'When to try again, in milliseconds. Always present with 429 and 503.',
            },
            capacity: {
              type: 'integer',
              minimum: 1,
              description:
                'The capacity in force, if an acquire named another or wanted more permits.',
            },
            detail: { type: 'string', description: KEY_DETAIL_LABEL },
            waitMaxMs: {
              type: 'integer',
              minimum: 0,
              description:
                'The longest wait that the namespace allows, if an acquire would wait longer.',
            },
            requestId: { type: 'string', description: 'As in the header X-Request-Id.' },
          },
        },
      },
    },
  },
});

/** The response for refusals with this status. */
function errorResponse(status: number, reasons: Reason[]): Response {
  const mayRetry = reasons.some((reason) => retryAfterOf(reason) !== undefined);
  const codes = [...new Set(reasons.map((reason) => ERROR_TABLE[reason].code))];
  const data: JsonSchema = {
    type: 'object',
    ...(mayRetry && { required: ['retryAfterMs'] }),
    properties: {
      httpStatus: { const: status },
      reason: { enum: reasons },
      code: { enum: codes },
      ...(mayRetry && { retryAfterMs: { type: 'integer', minimum: 1 } }),
    },
  };
  const error: JsonSchema = { type: 'object', properties: { data } };
  const narrowed: JsonSchema = { type: 'object', properties: { error } };
  return {
    description: reasons.map((reason) => `\`${reason}\`: ${REASON_LABELS[reason]}`).join('\n\n'),
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      ...(mayRetry && { 'Retry-After': RETRY_AFTER_HEADER }),
    },
    content: {
      'application/json': {
        schema: { allOf: [{ $ref: '#/components/schemas/Error' }, narrowed] },
      },
    },
  };
}
