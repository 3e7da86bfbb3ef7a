import { createTRPCClient, httpBatchLink, TRPCClientError } from '@trpc/client';
import { afterAll, beforeAll, expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import type { ErrorShape } from '@/server/api/rpc/refusal';
import type { SERVICE_API } from '@/server/contract/service-api';
import { ApiHarness } from '@/test/api-harness';
import type { ServiceErrorShape, ServiceRouter } from './service-router';

type Api = typeof SERVICE_API;
type Procedures = ServiceRouter['_def']['record'];
/** The type of a procedure such as `lock.renew`. */
type TypesOf<P> = P extends `${infer Group extends keyof Procedures & string}.${infer Name}`
  ? Name extends keyof Procedures[Group]
    ? Procedures[Group][Name] extends { _def: { $types: { input: infer I; output: infer O } } }
      ? { input: I; output: O }
      : never
    : never
  : never;

let api: ApiHarness;
beforeAll(async () => {
  api = await ApiHarness.start();
});
afterAll(() => api.close());

test('the type for tRPC has the inputs and answers of every procedure of the service API', () => {
  expectTypeOf<{ [P in keyof Api]: TypesOf<P> }>().toEqualTypeOf<{
    [P in keyof Api]: { input: z.input<Api[P]['input']>; output: z.output<Api[P]['answer']> };
  }>();
});

test('the type of a refusal has every field that a refusal carries', () => {
  expectTypeOf<keyof ServiceErrorShape['data']>().toEqualTypeOf<keyof ErrorShape['data']>();
});

test('tRPC’s own client calls through its batching link, alone and together', async () => {
  const headers = { authorization: `Bearer ${await api.key('trpc')}` };
  const url = `${api.url}/api/v1`;
  const client = createTRPCClient<ServiceRouter>({ links: [httpBatchLink({ url, headers })] });
  const ask = { name: 'a', owner: 'one', leaseMs: 60_000 };

  const granted = await client.lock.acquire.mutate({ ...ask, waitMs: 500 });
  expect(granted.outcome).toBe('granted');
  const [seen, checked] = await Promise.all([
    client.lock.inspect.query({ name: 'a' }),
    client.lock.check.query({ name: 'a', token: 17 }),
  ]);
  expect([seen.state, checked.valid]).toEqual(['held', false]);
  const waited = await client.lock.acquire.mutate({ ...ask, owner: 'two', waitMs: 200 });
  expect(waited.outcome).toBe('timeout');

  const refused = await client.counter.get.query({ name: 'none' }).catch((error) => error);
  expect(refused).toBeInstanceOf(TRPCClientError);
  expect((refused as TRPCClientError<ServiceRouter>).data?.reason).toBe('NOT_FOUND');
});
