import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { DescribedWire } from '@/test/described-wire';
import { ANSWER_SCHEMAS, SERVICE_API } from '../service-api';
import { openApiDocument } from './openapi-document';

const document = openApiDocument();

test('the description is OpenAPI 3.1, by an independent validator', async () => {
  const result = await new Validator().validate({ ...structuredClone(document) });
  expect(result.errors).toBeUndefined();
  expect(result.valid).toBe(true);
  expect(document.openapi).toBe('3.1.0');
});

test('every named schema is used, and every reference resolves', () => {
  const text = JSON.stringify(document);
  const references = [...text.matchAll(/"(#\/components\/[^"]+)"/g)].map(([, path = '']) => path);
  for (const name of Object.keys(document.components.schemas)) {
    expect(references, name).toContain(`#/components/schemas/${name}`);
  }
  for (const path of references) {
    const found = path
      .slice(2)
      .split('/')
      .reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], document);
    expect(found, path).toBeDefined();
  }
});

test('every example is valid, by the description and by the schema itself', () => {
  const wire = new DescribedWire(document);
  for (const [name, { input, example }] of Object.entries(SERVICE_API)) {
    expect(wire.inputComplaints(name, example), name).toEqual([]);
    expect(input.safeParse(example).error, name).toBeUndefined();
  }
  for (const [name, schema] of Object.entries<z.ZodType>(ANSWER_SCHEMAS)) {
    for (const example of document.components.schemas[name]?.examples ?? []) {
      expect(wire.complaints(`#/components/schemas/${name}`, example), name).toEqual([]);
      expect(schema.safeParse(example).error, name).toBeUndefined();
    }
  }
});

test('every field has a description or a self-explanatory name', () => {
  const plain = ['outcome', 'holders', 'waitedMs', 'ticket', 'httpStatus', 'error', 'data'];
  for (const [name, { properties = {} }] of Object.entries(document.components.schemas)) {
    for (const [field, { description }] of Object.entries(properties)) {
      if (!plain.includes(field)) expect(description, `${name}.${field}`).toBeTruthy();
    }
  }
});
