import type { JsonSchema } from '@/server/api/rpc/openapi/openapi-shape';

/** What a field may hold, in a few words. */
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

/** Bounds that say something: not those of every number that JavaScript holds exactly. */
function formatRange({ minimum, maximum }: JsonSchema): string {
  const most = maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER ? maximum : undefined;
  const least = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? minimum : undefined;
  if (least !== undefined && most !== undefined) return `, ${figure(least)} – ${figure(most)}`;
  if (least !== undefined) return `, ≥ ${figure(least)}`;
  return most === undefined ? '' : `, ≤ ${figure(most)}`;
}
