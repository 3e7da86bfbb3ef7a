import { Validator } from '@seriousme/openapi-schema-validator';
import type { AnyRouter, inferRouterOutputs } from '@trpc/server';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { DescribedWire } from '@/test/described-wire';
import type * as counters from '../../../contract/counter/answer-schemas';
import type * as schemas from '../../../contract/lock/answer-schemas';
import { ANSWER_SCHEMAS } from '../../../contract/lock/answer-schemas';
import type * as answers from '../../../contract/lock/answers';
import type * as sets from '../../../contract/multi-lock/answer-schemas';
import { SERVICE_API } from '../../../contract/service-api';
import type { AddAnswer, CreateAnswer, GetAnswer } from '../../../core/counter/counter-command';
import { type ServiceRouter, serviceRouter } from '../service/service-router';
import { openApiDocument } from './openapi-document';

const document = openApiDocument();

/** All fields required, so that an optional field that one side lacks is noticed too. */
type Full<T> = T extends readonly (infer E)[]
  ? Full<E>[]
  : T extends object
    ? { [K in keyof T]-?: Full<T[K]> }
    : T;
type Fits<A, B> = [A] extends [B] ? ([Full<A>] extends [Full<B>] ? true : false) : false;
type Same<A, B> = Fits<A, B> extends true ? Fits<B, A> : false;
type Described<T extends z.ZodType> = z.output<T>;
type Outputs = inferRouterOutputs<ServiceRouter>['lock'];
type CounterOutputs = inferRouterOutputs<ServiceRouter>['counter'];

/**
 * Compiles only while schemas, answer types and the router say the same, field by field and both
 * ways.
 */
const inStep: true[] = [
  true satisfies Same<Described<typeof schemas.acquireAnswer>, answers.AcquireAnswer>,
  true satisfies Same<Described<typeof schemas.cancelAnswer>, answers.CancelAnswer>,
  true satisfies Same<Described<typeof schemas.renewAnswer>, answers.RenewAnswer>,
  true satisfies Same<Described<typeof schemas.releaseAnswer>, answers.ReleaseAnswer>,
  true satisfies Same<Described<typeof schemas.inspectAnswer>, answers.InspectAnswer>,
  true satisfies Same<Described<typeof schemas.listAnswer>, answers.ListAnswer>,
  true satisfies Same<Described<typeof schemas.checkAnswer>, answers.CheckAnswer>,
  true satisfies Same<Described<typeof schemas.acquireAnswer>, Outputs['acquire']>,
  true satisfies Same<Described<typeof schemas.cancelAnswer>, Outputs['cancel']>,
  true satisfies Same<Described<typeof sets.acquireManyAnswer>, Outputs['acquireMany']>,
  true satisfies Same<Described<typeof schemas.cancelAnswer>, Outputs['cancelMany']>,
  true satisfies Same<Described<typeof schemas.renewAnswer>, Outputs['renew']>,
  true satisfies Same<Described<typeof schemas.releaseAnswer>, Outputs['release']>,
  true satisfies Same<Described<typeof schemas.inspectAnswer>, Outputs['inspect']>,
  true satisfies Same<Described<typeof schemas.listAnswer>, Outputs['list']>,
  true satisfies Same<Described<typeof schemas.checkAnswer>, Outputs['check']>,
  true satisfies Same<Described<typeof counters.createAnswer>, CreateAnswer>,
  true satisfies Same<Described<typeof counters.addAnswer>, AddAnswer>,
  true satisfies Same<Described<typeof counters.getAnswer>, GetAnswer>,
  true satisfies Same<Described<typeof counters.createAnswer>, CounterOutputs['create']>,
  true satisfies Same<Described<typeof counters.addAnswer>, CounterOutputs['add']>,
  true satisfies Same<Described<typeof counters.getAnswer>, CounterOutputs['get']>,
];

test('schemas, answer types and router agree, as the compiler has seen', () => {
  expect(inStep).not.toContain(false);
});

test('the description is OpenAPI 3.1, by an independent validator', async () => {
  const result = await new Validator().validate({ ...structuredClone(document) });
  expect(result.errors).toBeUndefined();
  expect(result.valid).toBe(true);
  expect(document.openapi).toBe('3.1.0');
});

test('every procedure of the router is described, with the very input that the router checks', () => {
  const procedures: Record<string, { _def: object }> = (serviceRouter as AnyRouter)._def.procedures;
  expect(Object.keys(SERVICE_API).sort()).toEqual(Object.keys(procedures).sort());
  for (const [name, procedure] of Object.entries(procedures)) {
    const { type, inputs } = procedure._def as { type: string; inputs?: unknown[] };
    expect(SERVICE_API[name]?.kind, name).toBe(type);
    expect(inputs, name).toEqual([SERVICE_API[name]?.input]);
    expect(inputs?.[0], name).toBe(SERVICE_API[name]?.input);
    const methods = Object.keys(document.paths[`/${name}`] ?? {});
    expect(methods, name).toEqual([type === 'query' ? 'get' : 'post']);
  }
  expect(Object.keys(document.paths)).toHaveLength(Object.keys(procedures).length);
});

test('every schema that has a name is used, and every reference leads somewhere', () => {
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

test('every example is what it stands for, by the description and by the schema itself', () => {
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

test('every field says what it is, or has a name that does', () => {
  const plain = ['outcome', 'holders', 'waitedMs', 'ticket', 'httpStatus', 'error', 'data'];
  for (const [name, { properties = {} }] of Object.entries(document.components.schemas)) {
    for (const [field, { description }] of Object.entries(properties)) {
      if (!plain.includes(field)) expect(description, `${name}.${field}`).toBeTruthy();
    }
  }
});
