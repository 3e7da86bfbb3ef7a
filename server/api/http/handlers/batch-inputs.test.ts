import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiHarness } from '@/test/api-harness';

const HOLD = { name: 'held', owner: 'worker-1' };

let api: ApiHarness;
let key: string;
let token: number;

beforeAll(async () => {
  api = await ApiHarness.start();
  key = await api.key('orders');
  const granted = await api.post(key, 'lock.acquire', { ...HOLD, leaseMs: 600_000 });
  token = granted.data?.token as number;
});
afterAll(() => api.close());

test.each(['1', '00', '-1', 'x', ' 0'])(
  'a batch of one call with an input "%s" beside that of the call is refused as a whole',
  async (other) => {
    const input = { ...HOLD, token };
    const reply = await api.post(key, 'lock.release?batch=1', { 0: input, [other]: input });
    expect([reply.status, reply.reason]).toEqual([400, 'INVALID']);
    expect(reply.error?.message).toContain(`input ${JSON.stringify(other)}, but one call`);
    const { data } = await api.get(key, 'lock.check', { name: HOLD.name, token });
    expect(data).toMatchObject({ valid: true });
  },
);

test.each(['2', '0', 'true', ''])('a batch that is called "%s" is refused', async (value) => {
  const reply = await api.post(key, `lock.release?batch=${value}`, { ...HOLD, token });
  expect([reply.status, reply.reason]).toEqual([400, 'INVALID']);
  expect(reply.error?.message).toBe('batch: can only be 1.');
  const { data } = await api.get(key, 'lock.check', { name: HOLD.name, token });
  expect(data).toMatchObject({ valid: true });
});

test('a batch that gives one of its calls two inputs is refused', async () => {
  const input = JSON.stringify({ ...HOLD, token });
  const reply = await api.post(key, 'lock.release?batch=1', `{"0":${input},"0":${input}}`);
  expect([reply.status, reply.reason]).toEqual([400, 'INVALID']);
  expect(reply.error?.message).toBe('An object has the field "0" twice.');
});

test('a batch of queries with an input that belongs to none of them is refused', async () => {
  const batch = (inputs: object) => {
    const query = `batch=1&input=${encodeURIComponent(JSON.stringify(inputs))}`;
    const path = `/api/v1/lock.inspect,lock.inspect?${query}`;
    return api.send(path, { headers: { authorization: `Bearer ${key}` } });
  };
  const { name } = HOLD;
  expect((await batch({ 0: { name }, 1: { name } })).status).toBe(200);
  expect(await batch({ 0: { name }, 2: { name } })).toMatchObject({
    status: 400,
    error: { message: 'The batch has an input "2", but 2 calls, counted from "0".' },
  });
});
