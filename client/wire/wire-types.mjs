import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));

/** A line of `wire.ts` that names a schema's type. */
const NAMED = /^export type (\w+) = z\.(input|output)<typeof (\w+)\.(\w+)>;$/gm;
const MODULE = /^import type \* as (\w+) from '(.+)';$/gm;

/**
 * `wire.ts` as a declaration file that needs no other: its types written out from the server's
 * schemas, with their descriptions as comments.
 *
 * @param {string} folder for a temporary module
 */
export async function wireTypes(folder) {
  const source = readFileSync(join(here, 'wire.ts'), 'utf8');
  const { z, REASONS, ...modules } = await loadSchemas(source, folder);
  const named = [...source.matchAll(NAMED)].map(([, name, io, module, schema]) => ({
    name,
    io,
    schema: modules[module][schema],
  }));
  const written = ['input', 'output'].map((io) => {
    const registry = z.registry();
    for (const each of named) if (each.io === io) registry.add(each.schema, { id: each.name });
    const { schemas } = z.toJSONSchema(registry, { io, uri: (id) => id });
    return Object.entries(schemas).map(([name, schema]) => declaration(name, schema, io));
  });
  const reason = `/** Why a call was refused. A contract: names never change. */
export type Reason = ${REASONS.map((each) => JSON.stringify(each)).join(' | ')};\n`;
  return [reason, ...written.flat()].join('\n');
}

async function loadSchemas(source, folder) {
  const modules = [...source.matchAll(MODULE)].map(
    ([, name, path]) => `export * as ${name} from '${path}';`,
  );
  const rest = `export { z } from 'zod';
    export { REASONS } from '../../server/contract/errors';`;
  const outfile = join(folder, 'schemas.mjs');
  await build({
    stdin: { contents: [...modules, rest].join('\n'), resolveDir: here },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
  return import(outfile);
}

function declaration(name, schema, io) {
  const text = typeOf(schema, io);
  const head = schema.properties ? `interface ${name} ` : `type ${name} = `;
  return `${comment(schema)}export ${head}${text}${schema.properties ? '' : ';'}\n`;
}

const PLAIN = {
  integer: 'number',
  number: 'number',
  string: 'string',
  boolean: 'boolean',
  null: 'null',
};

function typeOf(schema, io) {
  if (schema.$ref) return schema.$ref;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((each) => JSON.stringify(each)).join(' | ');
  const parts = schema.oneOf ?? schema.anyOf;
  if (parts) return parts.map((part) => typeOf(part, io)).join(' | ');
  if (schema.type === 'array') return `Array<${typeOf(schema.items, io)}>`;
  if (schema.properties) return `{\n${indented(fieldsOf(schema, io))}}`;
  if (schema.type === 'object') return `Record<string, ${typeOf(schema.additionalProperties, io)}>`;
  return [schema.type]
    .flat()
    .map((type) => plainType(type))
    .join(' | ');
}

function plainType(type) {
  if (Object.hasOwn(PLAIN, type)) return PLAIN[type];
  throw new Error(`A schema of type "${type}" cannot be written as a type.`);
}

/** An optional field of an input may also be undefined. */
function fieldsOf({ properties, required = [] }, io) {
  return Object.entries(properties)
    .map(([name, schema]) => {
      const isOptional = !required.includes(name);
      const type = typeOf(schema, io) + (isOptional && io === 'input' ? ' | undefined' : '');
      return `${comment(schema)}${name}${isOptional ? '?' : ''}: ${type};\n`;
    })
    .join('');
}

const indented = (text) => text.replace(/^(?=.)/gm, '  ');

function comment({ description }) {
  return description ? `/** ${description.replaceAll('*/', '* /')} */\n` : '';
}
