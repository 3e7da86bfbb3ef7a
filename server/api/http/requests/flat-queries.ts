import { z } from 'zod';
import { SERVICE_API, type ServiceProcedure } from '../../../contract/service-api';
import { hasManyParameters } from './many-parameters';

/** How a parameter is read. */
type FieldType = 'text' | 'number' | 'boolean';

/** An integer as JSON writes it; anything else stays text, which the schema refuses. */
const INTEGER = /^-?(0|[1-9]\d{0,15})$/;

/**
 * Queries whose input is given as flat parameters, `lock.inspect?name=a&namespace=b`, in place of
 * `?input=<JSON>`. Parameters are read according to the types of the input's fields; the input's
 * schema then validates them, as with JSON.
 */
export class FlatQueries {
  private readonly queries = new Map<string, ReadonlyMap<string, FieldType>>();

  /** @param prefix the prefix of the paths of the service API */
  constructor(private readonly prefix: string) {
    for (const [name, { kind, input }] of Object.entries<ServiceProcedure>(SERVICE_API)) {
      if (kind === 'query') this.queries.set(prefix + name, fieldTypes(input));
    }
  }

  /**
   * The address with its parameters as one `input`. Unchanged if it already has one, is a batch or
   * not a query, or will be refused for broken percent-encoding or for repeated or too many
   * parameters.
   */
  withInput(url: string): string {
    const mark = url.indexOf('?');
    const path = mark < 0 ? url : url.slice(0, mark);
    const fields = this.queries.get(path.includes('%') ? this.plainPath(path) : path);
    if (!fields) return url;
    const query = mark < 0 ? '' : url.slice(mark + 1);
    if (query.startsWith('input=') || hasManyParameters(query)) return url;
    if (!isWellFormed(query)) return url;
    const params = new URLSearchParams(query);
    if (['input', 'batch', 'connectionParams'].some((name) => params.has(name))) return url;
    const input: Record<string, unknown> = Object.create(null);
    for (const [name, value] of params) {
      if (Object.hasOwn(input, name)) return url;
      input[name] = read(value, fields.get(name));
    }
    return `${path}?input=${encodeURIComponent(JSON.stringify(input))}`;
  }

  /** A path that names its procedure in percent-encoding; empty if that is broken. */
  private plainPath(path: string): string {
    const { prefix } = this;
    if (!path.startsWith(prefix)) return path;
    const name = path.slice(prefix.length);
    return isWellFormed(name) ? prefix + decodeURIComponent(name) : '';
  }
}

function read(text: string, type: FieldType | undefined): unknown {
  if (type === 'number' && INTEGER.test(text)) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

function fieldTypes(input: z.ZodType): ReadonlyMap<string, FieldType> {
  const { properties = {} } = z.toJSONSchema(input, { io: 'input' });
  return new Map(
    Object.entries(properties).map(([name, schema]) => {
      const type = typeof schema === 'object' ? schema.type : undefined;
      if (type === 'string') return [name, 'text'];
      if (type === 'integer' || type === 'number') return [name, 'number'];
      if (type === 'boolean') return [name, 'boolean'];
      throw new Error(`${name}: the input of a query has only texts, numbers and booleans.`);
    }),
  );
}

function isWellFormed(query: string): boolean {
  try {
    decodeURIComponent(query.replaceAll('+', ' '));
    return true;
  } catch {
    return false;
  }
}
