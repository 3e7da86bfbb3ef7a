import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type {
  JsonSchema,
  OpenApiDocument,
  Operation,
} from '@/server/contract/openapi/openapi-shape';

/**
 * Checks real requests and replies against the API's description. Answers may gain fields in later
 * versions, but this server may not send any that its own description lacks: here every object is
 * closed.
 */
export class DescribedWire {
  /** That the description itself is valid is not asked again: compiling what says so takes long. */
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, validateSchema: false });
  private readonly known = new Map<string, ValidateFunction>();

  constructor(private readonly document: OpenApiDocument) {
    this.ajv.addSchema(closed(document), 'api');
  }

  /** Whether the description has this procedure. */
  describes(procedure: string): boolean {
    return Object.hasOwn(this.document.paths, `/${procedure}`);
  }

  /**
   * How the status, headers and body of a procedure's reply violate the description; empty if they
   * do not.
   */
  replyComplaints(
    procedure: string,
    { status, headers, text }: { status: number; headers: Headers; text: string },
  ): string[] {
    const { operation, pointer } = this.operation(procedure);
    const response = operation.responses[status];
    if (!response) return [`${procedure} is not described to answer ${status}: ${text}`];
    const isShared = '$ref' in response;
    const at = isShared ? response.$ref : `${pointer}/responses/${status}`;
    const wanted = isShared
      ? this.document.components.responses[response.$ref.split('/').at(-1) ?? '']
      : response;
    const missing = Object.keys(wanted?.headers ?? {}).filter((name) => !headers.has(name));
    return [
      ...missing.map((name) => `${procedure} ${status} has no ${name}`),
      ...(headers.get('content-type') === 'application/json' ? [] : ['not application/json']),
      ...this.complaints(`${at}/content/application~1json/schema`, JSON.parse(text)),
    ];
  }

  /** How an input of a procedure violates the description. */
  inputComplaints(procedure: string, input: unknown): string[] {
    const { operation, pointer } = this.operation(procedure);
    if (operation.requestBody) {
      return this.complaints(`${pointer}/requestBody/content/application~1json/schema`, input);
    }
    const parameters = operation.parameters ?? [];
    const known = new Map(parameters.map(({ name }, i) => [name, `${pointer}/parameters/${i}`]));
    const given = Object.entries(input as object);
    return [
      ...parameters
        .filter(({ name, required }) => required && !given.some(([field]) => field === name))
        .map(({ name }) => `${name} is missing`),
      ...given.flatMap(([name, value]) => {
        const at = known.get(name);
        return at ? this.complaints(`${at}/schema`, value) : [`${name} is not described`];
      }),
    ];
  }

  /** How a value violates the schema at this pointer into the description. */
  complaints(pointer: string, value: unknown): string[] {
    let validate = this.known.get(pointer);
    if (!validate) {
      validate = this.ajv.compile({ $ref: `api${pointer}` });
      this.known.set(pointer, validate);
    }
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${instancePath} ${message} ${JSON.stringify(params)} in ${JSON.stringify(value)}`,
    );
  }

  /** Every outcome in the description of a procedure. */
  outcomes(procedure: string): string[] {
    const { operation } = this.operation(procedure);
    const answer = /#\/components\/schemas\/(\w+)/.exec(
      JSON.stringify(operation.responses[200]),
    )?.[1];
    const { discriminator } = this.document.components.schemas[answer ?? ''] ?? {};
    return Object.keys(discriminator?.mapping ?? {});
  }

  private operation(procedure: string): { operation: Operation; pointer: string } {
    const [[method, operation] = []] = Object.entries(this.document.paths[`/${procedure}`] ?? {});
    if (!operation) throw new Error(`${procedure} is not described.`);
    return { operation, pointer: `#/paths/~1${procedure}/${method}` };
  }
}

/** The document with named schemas and envelopes that allow only the fields that they name. */
function closed({ paths, components, ...rest }: OpenApiDocument): OpenApiDocument {
  const schemas = closeObjects(components.schemas);
  return { ...rest, paths: closeObjects(paths), components: { ...components, schemas } };
}

function closeObjects<T>(part: T): T {
  return JSON.parse(JSON.stringify(part), (_key, value: JsonSchema | null) =>
    value?.type === 'object' && value.properties
      ? { additionalProperties: false, ...value }
      : value,
  );
}
