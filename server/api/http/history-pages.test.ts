import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createUser } from '@/server/operations/users/create-user';
import { ApiHarness } from '@/test/api-harness';

const PASSWORD = 'plough the seventh field';
const LOCK = { namespace: 'default', name: 'often taken' };

let api: ApiHarness;
let cookie: string;

beforeAll(async () => {
  api = await ApiHarness.start();
  await createUser(api.cli, { name: 'vera', role: 'viewer', password: PASSWORD });
  cookie = await api.signIn('vera', PASSWORD);
});
afterAll(() => api.close());

interface Page {
  rows: { id: string; kind: string }[];
  older: string | null;
}

test('a page of history continues where the one before it ended', async () => {
  const key = await api.key('orders');
  const hold = { name: LOCK.name, owner: 'w1' };
  const { data } = await api.post(key, 'lock.acquire', { ...hold, leaseMs: 60_000 });
  await api.post(key, 'lock.release', { ...hold, token: data?.token });
  const read = async (more: object) =>
    (await api.console(cookie, 'locks.events', { ...LOCK, ...more })).data as unknown as Page;
  await vi.waitFor(async () => expect((await read({})).rows).toHaveLength(2), { timeout: 10_000 });
  const newest = await read({ limit: 1 });
  const oldest = await read({ limit: 1, before: newest.older });
  expect([newest, oldest].map(({ rows }) => rows[0]?.kind)).toEqual(['released', 'granted']);
  expect(oldest.older).toBeNull();
});

test.each([
  '',
  'garbage',
  '1.2',
  '1.2.3.4',
  '-1.0.0',
  '9999999999999999.0.0',
  `${'9'.repeat(60)}.0`,
])('a place in a history that no page named is INVALID: "%s"', async (before) => {
  const refused = { status: 400, reason: 'INVALID' };
  const query = (procedure: string, input: object) => api.console(cookie, procedure, input);
  expect(await query('locks.events', { ...LOCK, before })).toMatchObject(refused);
  expect(await query('counters.moves', { ...LOCK, before })).toMatchObject(refused);
  expect(await query('audit.list', { before })).toMatchObject(refused);
});

test.each([0, -1, 0.5, 1e300])(
  'an invalid position in the audit log is INVALID: %d',
  async (before) => {
    expect(await api.console(cookie, 'audit.list', { before })).toMatchObject({
      status: 400,
      reason: 'INVALID',
    });
  },
);
