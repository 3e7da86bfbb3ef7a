import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiHarness } from '@/test/api-harness';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import { setNamespacePolicy } from '../../operations/namespaces/set-namespace-policy';
import { createUser } from '../../operations/users/create-user';

let api: ApiHarness;
let key: string;

beforeAll(async () => {
  api = await ApiHarness.start();
  key = await api.key('transfers');
});
afterAll(() => api.close());

const setOf = (names: string[], owner = 'w1') => ({
  locks: names.map((name) => ({ name })),
  owner,
  leaseMs: 20_000,
});
const acquireMany = (input: object) => api.post(key, 'lock.acquireMany', input);
const holdersOf = async (name: string) => {
  const { data } = await api.get(key, 'lock.inspect', { name });
  const holders = data?.holders as { owner: string }[] | undefined;
  return holders?.map(({ owner }) => owner);
};

const PASSWORD = 'plough the seventh field';
/** A lock as the console shows it. */
const asSeen = async (name: string) => {
  await createUser(api.cli, { name: 'vera', role: 'viewer', password: PASSWORD });
  const cookie = await api.signIn('vera', PASSWORD);
  const { data } = await api.console(
    cookie,
    'locks.detail',
    { namespace: 'default', name },
    'query',
  );
  return data as { waiters?: unknown };
};

test('two callers that want the same locks in different orders are granted in turn', async () => {
  const names = ['t:1', 't:2', 't:3'];
  const transfer = async (i: number) => {
    const owner = `w${i}`;
    const order = i % 2 === 0 ? names : [...names].reverse();
    const { data } = await acquireMany({ ...setOf(order, owner), waitMs: 20_000 });
    expect(data?.outcome).toBe('granted');
    for (const name of names) expect(await holdersOf(name)).toEqual([owner]);
    const grants = data?.grants as { name: string; token: number }[] | undefined;
    for (const { name, token } of grants ?? []) {
      const { data: left } = await api.post(key, 'lock.release', { name, owner, token });
      expect(left).toEqual({ outcome: 'released' });
    }
  };
  await Promise.all(Array.from({ length: 12 }, (_, i) => transfer(i)));
});

test('a multi-lock that waits holds nothing, and is granted when asked again', async () => {
  const ask = { name: 'u:2', owner: 'other', leaseMs: 20_000 };
  const held = (await api.post(key, 'lock.acquire', ask)).data;
  const asked = { ...setOf(['u:1', 'u:2']), waitMs: 60_000, requestId: 'r1' };
  const waiting = acquireMany(asked);
  await expect
    .poll(async () => (await api.get(key, 'lock.inspect', { name: 'u:2' })).data?.waiters)
    .toMatchObject([{ owner: 'w1', setSize: 2 }]);
  expect(await holdersOf('u:1')).toEqual([]);
  expect((await asSeen('u:2')).waiters).toMatchObject([{ owner: 'w1', setSize: 2 }]);
  await api.post(key, 'lock.release', { name: 'u:2', owner: 'other', token: held?.token });
  const { data } = await waiting;
  expect(data?.outcome).toBe('granted');
  expect((await acquireMany(asked)).data).toMatchObject({
    outcome: 'granted',
    grants: (data?.grants as { token: number }[] | undefined)?.map(({ token }) => ({ token })),
  });
});

test('the policy of the namespace limits a multi-lock like a single acquire', async () => {
  const named = { ...setOf(['t:1', 't:2']), requestId: 'r1' };
  const first = await acquireMany(named);
  expect(first.data?.outcome).toBe('granted');
  const policy = { ...DEFAULT_POLICY, leaseMaxMs: 1_000 };
  await setNamespacePolicy(api.cli, { name: 'default', policy, reason: 'a test' });
  const refused = await acquireMany(setOf(['v:1', 'v:2']));
  expect([refused.status, refused.reason]).toEqual([400, 'INVALID']);
  const again = await acquireMany(named);
  const unknown = await acquireMany({ ...named, requestId: 'r2' });
  expect(again.data).toMatchObject({
    outcome: 'granted',
    grants: [{ name: 't:1' }, { name: 't:2' }],
  });
  expect([unknown.status, unknown.reason]).toEqual([400, 'INVALID']);
  await setNamespacePolicy(api.cli, { name: 'default', policy: null, reason: 'a test' });
});

test('a multi-lock cannot wait in a batch of calls, and needs a key of its namespace', async () => {
  const asked = { ...setOf(['x:1', 'x:2']), waitMs: 10 };
  const batch = await api.post(key, 'lock.acquireMany,lock.acquireMany?batch=1', {
    0: asked,
    1: asked,
  });
  expect(batch.text).toContain('a batch may not wait');
  const elsewhere = await acquireMany({ ...setOf(['x:1', 'x:2']), namespace: 'other' });
  expect([elsewhere.status, elsewhere.reason]).toEqual([403, 'FORBIDDEN']);
});
