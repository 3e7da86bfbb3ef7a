import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ApiHarness } from '@/test/api-harness';
import { FlatQueries } from './requests/flat-queries';

const NAME = 'stock:1+1=2 & ü';

let api: ApiHarness;
let key: string;

beforeAll(async () => {
  api = await ApiHarness.start();
  key = await api.key('flat');
  await api.post(key, 'lock.acquire', { name: NAME, owner: 'o', leaseMs: 60_000 });
  await api.post(key, 'lock.acquire', { name: 'other', owner: 'o', leaseMs: 60_000 });
  // The list is updated a moment later.
  await vi.waitFor(
    async () => expect((await get('lock.list')).answer.result?.data.locks).toHaveLength(2),
    { timeout: 20_000, interval: 100 },
  );
});
afterAll(() => api.close());

async function get(path: string) {
  const headers = { authorization: `Bearer ${key}` };
  const { status, text } = await api.send(`/api/v1/${path}`, { headers });
  return { status, answer: JSON.parse(text) };
}

/** An answer without the parts that change from one moment to the next. */
const lasting = (answer: object) =>
  JSON.parse(
    JSON.stringify(answer, (field, value) =>
      /Ms$|^requestId$|^rev$|Token$/.test(field) ? 0 : value,
    ),
  );

const asJson = (input: object) => `input=${encodeURIComponent(JSON.stringify(input))}`;
const asFlat = (input: Record<string, string>) => new URLSearchParams(input).toString();

describe('a query with flat parameters gives the same answer as with JSON', () => {
  test.each<[string, Record<string, string>, object]>([
    ['lock.inspect', { name: NAME }, { name: NAME }],
    ['lock.inspect', { name: 'free', namespace: 'default' }, { name: 'free' }],
    ['lock.check', { name: NAME, token: '17' }, { name: NAME, token: 17 }],
    ['lock.list', {}, {}],
    ['lock.list', { limit: '1', busy: 'true' }, { limit: 1, busy: true }],
    ['lock.list', { prefix: 'oth' }, { prefix: 'oth' }],
    ['counter.get', { name: 'none' }, { name: 'none' }],
    ['lock.inspect', { name: '7' }, { name: '7' }],
    ['lock%2elist', { namespace: 'default' }, { namespace: 'default' }],
  ])('%s %j', async (procedure, flat, json) => {
    const [one, other] = [
      await get(`${procedure}?${asFlat(flat)}`),
      await get(`${procedure}?${asJson(json)}`),
    ];
    expect(lasting(one)).toEqual(lasting(other));
  });
});

describe('invalid flat parameters get a typed answer that names them', () => {
  test.each([
    ['lock.inspect', 'name'],
    ['lock.inspect?', 'name'],
    ['lock.inspect?name=', 'name'],
    ['lock.inspect?name=a&name=b', 'has the parameter "name" twice'],
    ['lock.inspect?name=a&name=a', 'has the parameter "name" twice'],
    ['lock.inspect?name=a&limit=2', 'limit'],
    ['lock.inspect?name=a&__proto__=2', '__proto__ is not a key'],
    ['lock.check?name=a&token=many', 'token'],
    ['lock.check?name=a&token=1e3', 'token'],
    ['lock.check?name=a&token=0x10', 'token'],
    ['lock.list?limit=', 'limit'],
    ['lock.list?busy=yes', 'busy'],
    ['lock.inspect?name=%00', 'name'],
    ['lock.inspect?name=%ff', 'percent-encoding'],
    ['lock.inspect?input={"name":"a"}&name=b', 'name: is not a parameter beside input'],
    ['lock.inspect?name=b&input={"name":"a"}', 'name: is not a parameter beside input'],
    ['lock.inspect?input={"name":"a"}&_=17', '_: is not a parameter beside input'],
    ['lock.inspect?input={"name":"a"}&input={"name":"b"}', 'has the parameter "input" twice'],
    ['lock.inspect?batch=1&input={"0":{"name":"a"}}&batch=0', 'has the parameter "batch" twice'],
    ['lock.inspect?input={"name":"a","name":"b"}', 'has the field "name" twice'],
    ['lock.inspect?batch=2&input={"0":{"name":"a"}}', 'batch: can only be 1'],
    ['lock.inspect?batch=1&name=a', 'name: is not a parameter beside input'],
    ['lock.inspect?batch=1&input={"0":{"name":"a"}}&limit=1', 'limit: is not a parameter'],
  ])('%s', async (path, named) => {
    const { status, answer } = await get(path);
    expect([status, answer.error?.data.reason]).toEqual([400, 'INVALID']);
    expect(answer.error.message).toContain(named);
  });
});

test('a parameter of a command is refused by name, except for `batch`', async () => {
  const ask = { name: 'with parameters', owner: 'o', leaseMs: 1_000 };
  const reply = await api.post(key, 'lock.acquire?waitMs=300', ask);
  expect([reply.status, reply.reason]).toEqual([400, 'INVALID']);
  expect(reply.error?.message).toContain('waitMs: is not a parameter of a command');
  expect((await get('lock.inspect?name=with+parameters')).answer.result.data.state).toBe('free');
});

test('a batch of one waiting call waits, as the batching link of tRPC sends it', async () => {
  const body = { 0: { name: 'other', owner: 'second', leaseMs: 1_000, waitMs: 300 } };
  const { status, text } = await api.post(key, 'lock.acquire?batch=1', body);
  expect(status).toBe(200);
  expect(JSON.parse(text)[0].result.data.outcome).toBe('timeout');
});

test('a refusal for a missing key says which kind of key is needed, on every path', async () => {
  for (const path of ['lock.inspect?name=a', `lock.inspect?batch=1&${asJson({ 0: {} })}`]) {
    const { status, headers } = await api.send(`/api/v1/${path}`);
    expect([path, status]).toEqual([path, 401]);
    expect(headers.get('www-authenticate')).toBe('Bearer');
  }
});

test('an address with too many parameters is refused unread and delays no other call', async () => {
  const names = Array.from({ length: 14_000 }, (_, i) => i.toString(36));
  const address = `lock.inspect?${names.join('&')}`;
  const flat = new FlatQueries('/api/v1/');
  expect(flat.withInput(`/api/v1/${address}`)).toBe(`/api/v1/${address}`);
  const { status, answer } = await get(address);
  expect([status, answer.error?.data.reason]).toEqual([400, 'INVALID']);
  expect(answer.error.message).toBe('An address may have at most 100 parameters.');
});
