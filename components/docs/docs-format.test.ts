import { describe, expect, it } from 'vitest';
import { curlCommand } from './procedure-section';
import { typeLabel } from './read-document';

describe('the curl command of a procedure', () => {
  it('posts the input of a command, over several lines where it is long', () => {
    const example = { name: 'invoices:2026-11', owner: 'billing-1', leaseMs: 30_000 };
    expect(
      curlCommand('https://locks.example', { name: 'lock.acquire', method: 'POST', example }),
    ).toBe(
      `curl -sS https://locks.example/api/v1/lock.acquire \\
  -H "Authorization: Bearer $LOCKYARD_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{
    "name": "invoices:2026-11",
    "owner": "billing-1",
    "leaseMs": 30000
  }'`,
    );
  });

  it('puts the fields of a query into the URL, quoted for a shell', () => {
    const example = { name: "it's", limit: 2 };
    expect(curlCommand('http://a', { name: 'lock.inspect', method: 'GET', example })).toBe(
      `curl -sS -G http://a/api/v1/lock.inspect \\
  -H "Authorization: Bearer $LOCKYARD_API_KEY" \\
  --data-urlencode name='it'\\''s' \\
  --data-urlencode limit='2'`,
    );
  });
});

describe('the type label of a field', () => {
  it.each([
    [{ type: 'integer', minimum: 100, maximum: 86_400_000 }, 'integer, 100 – 86,400,000'],
    [{ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, 'integer, ≥ 0'],
    [{ type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: 7 }, 'integer, ≤ 7'],
    [{ type: 'integer', exclusiveMinimum: 0 }, 'integer'],
    [{ anyOf: [{ type: 'integer' }, { type: 'null' }] }, 'integer | null'],
    [{ type: 'object', properties: { by: { type: 'string' } } }, '{ by: string }'],
    [{ type: 'string', enum: ['a', 'b'] }, '"a" | "b"'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'object of strings'],
    [{ type: 'array', items: { $ref: '#/components/schemas/Holder' } }, 'list of'],
    [{ type: 'array', items: { type: 'string' } }, 'list of strings'],
  ])('%o reads %s', (schema, label) => {
    expect(typeLabel(schema)).toBe(label);
  });
});
