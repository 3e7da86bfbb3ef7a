import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiHarness } from '@/test/api-harness';

let api: ApiHarness;
let key: string;
let names = 0;

/** A counter that no other test uses. */
const freshName = () => `counters ${++names}`;

beforeAll(async () => {
  api = await ApiHarness.start();
  await api.namespace('elsewhere');
  key = await api.key('orders');
});
afterAll(() => api.close());

const create = (name: string, more: object = {}) =>
  api.post(key, 'counter.create', { name, ...more });
const add = (name: string, delta: number, more: object = {}) =>
  api.post(key, 'counter.add', { name, delta, ...more });
const get = (name: string) => api.get(key, 'counter.get', { name });

test('a counter is created once, added to within its bounds, and read', async () => {
  const name = freshName();
  const bounds = { floor: 0, ceiling: 10 };
  expect((await create(name, { initial: 4, ...bounds })).data).toEqual({ outcome: 'created' });
  expect((await create(name, { initial: 9 })).data).toEqual({
    outcome: 'exists',
    value: 4,
    ...bounds,
  });
  const { status, data } = await add(name, -4);
  expect([status, data]).toEqual([200, { outcome: 'applied', value: 0, rev: expect.any(Number) }]);
  expect((await add(name, -1)).data).toEqual({ outcome: 'outOfBounds', value: 0, ...bounds });
  expect((await get(name)).data).toEqual({ value: 0, ...bounds, rev: data?.rev });
});

test('a counter without bounds begins at 0, and the answer says so', async () => {
  const name = freshName();
  await create(name);
  expect((await get(name)).data).toMatchObject({ value: 0, floor: null, ceiling: null });
});

test('one request id is one step; with another input it is INVALID', async () => {
  const name = freshName();
  await create(name);
  const first = await add(name, 3, { requestId: 'a' });
  expect((await add(name, 3, { requestId: 'a' })).data).toEqual(first.data);
  expect(await add(name, 4, { requestId: 'a' })).toMatchObject({ status: 400, reason: 'INVALID' });
  expect((await get(name)).data).toMatchObject({ value: 3 });
});

test('the same request id of another service, or on another counter, is another step', async () => {
  const [name, next] = [freshName(), freshName()];
  await Promise.all([create(name), create(next)]);
  const other = await api.key('billing');
  await add(name, 1, { requestId: 'a' });
  await add(next, 1, { requestId: 'a' });
  await api.post(other, 'counter.add', { name, delta: 1, requestId: 'a' });
  expect((await get(name)).data).toMatchObject({ value: 2 });
  expect((await get(next)).data).toMatchObject({ value: 1 });
});

test('a counter that was never created is NOT_FOUND, even if a lock has its name', async () => {
  const name = freshName();
  await api.post(key, 'lock.acquire', { name, owner: 'w1', leaseMs: 10_000 });
  expect(await add(name, 1)).toMatchObject({ status: 404, reason: 'NOT_FOUND' });
  expect(await get(name)).toMatchObject({ status: 404, reason: 'NOT_FOUND' });
});

test('a lock whose name looks like a counter’s key is only a lock', async () => {
  const name = freshName();
  await create(name, { initial: 7 });
  for (const odd of [`#${name}`, `default#${name}`, `/${name}`]) {
    const { data } = await api.post(key, 'lock.acquire', {
      name: odd,
      owner: 'w1',
      leaseMs: 10_000,
    });
    expect(data).toMatchObject({ outcome: 'granted' });
  }
  expect((await get(name)).data).toMatchObject({ value: 7 });
});

test('names are byte-exact, and namespaces and key scopes apply', async () => {
  const name = freshName();
  await create(name);
  expect(await get(`${name} `)).toMatchObject({ status: 404 });
  const abroad = { namespace: 'elsewhere', name };
  expect(await api.post(key, 'counter.add', { ...abroad, delta: 1 })).toMatchObject({
    status: 403,
    reason: 'FORBIDDEN',
  });
  const wide = await api.key('wide', ['default', 'elsewhere']);
  expect(await api.get(wide, 'counter.get', abroad)).toMatchObject({ status: 404 });
});

test.each<[string, string, unknown]>([
  ['a delta that is no whole number', 'counter.add', { name: 'x', delta: 1.5 }],
  ['a delta that is not exact', 'counter.add', { name: 'x', delta: 2 ** 53 }],
  ['a delta in quotes', 'counter.add', { name: 'x', delta: '1' }],
  ['no delta', 'counter.add', { name: 'x' }],
  ['an unknown field', 'counter.add', { name: 'x', delta: 1, by: 'me' }],
  ['no name', 'counter.add', { delta: 1 }],
  ['an empty request id', 'counter.add', { name: 'x', delta: 1, requestId: '' }],
  ['bounds that are crossed', 'counter.create', { name: 'x', floor: 1, ceiling: 0, initial: 1 }],
  ['a beginning below the floor', 'counter.create', { name: 'x', floor: 1 }],
  ['a beginning above the ceiling', 'counter.create', { name: 'x', initial: 2, ceiling: 1 }],
  ['a bound that is null', 'counter.create', { name: 'x', floor: null }],
  ['a bound that is not exact', 'counter.create', { name: 'x', ceiling: 1e300 }],
])('%s is INVALID', async (_, procedure, input) => {
  expect(await api.post(key, procedure, input)).toMatchObject({ status: 400, reason: 'INVALID' });
});

test('counters are not shown among locks, and locks not among counters', async () => {
  const name = freshName();
  await create(name, { initial: 5, ceiling: 9 });
  await api.post(key, 'lock.acquire', { name: `${name} lock`, owner: 'w1', leaseMs: 10_000 });
  await add(name, 2);
  const { projection } = api.runtime;
  const shown = async () => (await projection.counters.page({ search: name, limit: 10 })).rows;
  await expect.poll(async () => (await shown())[0]?.value).toBe(7);
  expect(await shown()).toMatchObject([
    { name, ceiling: 9, isKnown: true, lastMove: { delta: 2, who: 'orders', isPerson: false } },
  ]);
  await expect.poll(() => projection.row('default', `${name} lock`)).not.toBeNull();
  expect(projection.row('default', name)).toBeNull();
});
