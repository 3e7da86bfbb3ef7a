import { afterAll, beforeAll, expect, test } from 'vitest';
import { acquireInput } from '@/server/contract/lock/inputs';
import { DEFAULT_POLICY } from '@/server/contract/namespace-policy';
import { acquireLock } from '@/server/operations/locks/for-services/acquire-lock';
import { setNamespacePolicy } from '@/server/operations/namespaces/set-namespace-policy';
import { ApiHarness } from '@/test/api-harness';

let api: ApiHarness;
let key: string;
let names = 0;

/** A lock that no other test uses. */
const freshName = () => `service-api ${++names}`;

beforeAll(async () => {
  api = await ApiHarness.start();
  key = await api.key('orders');
});
afterAll(() => api.close());

const acquire = (name: string, more: object = {}, by = key) =>
  api.post(by, 'lock.acquire', { name, owner: 'worker-1', leaseMs: 30_000, ...more });

const tokenOf = async (name: string) => (await acquire(name)).data?.token as number;

test('grants a free lock, with a token, a lease and a request id', async () => {
  const name = freshName();
  const { status, headers, data } = await acquire(name, { meta: { host: 'a', pid: '7' } });
  expect(status).toBe(200);
  expect(data).toMatchObject({ outcome: 'granted', holdCount: 1 });
  expect(data?.token).toSatisfy(Number.isSafeInteger);
  expect(data?.expiresInMs).toBeGreaterThan(20_000);
  expect(headers.get('x-request-id')).toMatch(/^[\w-]{16}$/);
  expect(headers.get('cache-control')).toBe('no-store');
  expect(headers.get('x-content-type-options')).toBe('nosniff');
});

test('refuses a second holder at once, naming the first', async () => {
  const name = freshName();
  const token = await tokenOf(name);
  const { status, data } = await acquire(name, { owner: 'worker-2' });
  expect(status).toBe(200);
  expect(data).toMatchObject({ outcome: 'held', holders: [{ owner: 'worker-1', token }] });
});

test('grants shared holds together, and excludes writers meanwhile', async () => {
  const name = freshName();
  const first = await acquire(name, { owner: 'reader-1', mode: 'shared' });
  const second = await acquire(name, { owner: 'reader-2', mode: 'shared' });
  expect([first.data, second.data]).toMatchObject([{ outcome: 'granted' }, { outcome: 'granted' }]);
  const { data } = await acquire(name, { owner: 'writer' });
  const mode = 'shared';
  expect(data).toMatchObject({
    outcome: 'held',
    holders: [
      { owner: 'reader-1', mode },
      { owner: 'reader-2', mode },
    ],
  });
});

test('grants permits up to the capacity, and reports the capacity in force', async () => {
  const name = freshName();
  const mode = 'permit';
  const first = await acquire(name, { owner: 'one', mode, permits: 7, capacity: 10 });
  const second = await acquire(name, { owner: 'two', mode, permits: 3, capacity: 10 });
  expect([first.data, second.data]).toMatchObject([{ outcome: 'granted' }, { outcome: 'granted' }]);
  const third = await acquire(name, { owner: 'three', mode, capacity: 10 });
  expect(third.data).toMatchObject({ outcome: 'held', holders: [{ permits: 7 }, { permits: 3 }] });
  const { data } = await api.get(key, 'lock.inspect', { name });
  expect(data?.permits).toEqual({ capacity: 10, inUse: 10 });
  const other = await acquire(name, { owner: 'four', mode, capacity: 12 });
  expect([other.status, other.reason, other.error?.data]).toMatchObject([
    400,
    'INVALID',
    { capacity: 10 },
  ]);
  expect(other.error?.message).toMatch(/^capacity: must be 10, /);
  const again = { owner: 'one', mode, permits: 2, capacity: 10, reentrant: true };
  expect((await acquire(name, again)).reason).toBe('CONFLICT');
});

test('a call beyond the policy is refused with the bound; a renewal is shortened', async () => {
  const name = freshName();
  const token = await tokenOf(name);
  const policy = {
    ...DEFAULT_POLICY,
    leaseMaxMs: 60_000,
    patienceMaxMs: 0,
    requiredMeta: ['team'],
  };
  const set = (to: typeof policy | null) =>
    setNamespacePolicy(api.cli, { name: 'default', policy: to, reason: 'a test' });
  await set(policy);
  try {
    const refused = await acquire(name, { leaseMs: 60_001, meta: { team: 'x' } });
    expect([refused.status, refused.reason]).toEqual([400, 'INVALID']);
    expect(refused.text).toContain('leaseMs must be at most 60000 in namespace default.');
    for (const more of [{}, { requestId: 'r' }]) {
      const { error } = await acquire(name, { ...more, waitMs: 1 });
      expect(error?.message).toContain('waitMs must be at most 0');
      expect(error?.data).toMatchObject({ reason: 'INVALID', waitMaxMs: 0 });
    }
    expect((await acquire(name)).text).toContain('meta must have \\"team\\"');
    const renewal = { name, owner: 'worker-1', token, leaseMs: 90_000 };
    const renewed = await api.post(key, 'lock.renew', renewal);
    expect(renewed.data?.expiresInMs).toBeGreaterThan(50_000);
    expect(renewed.data?.expiresInMs).toBeLessThanOrEqual(60_000);
  } finally {
    await set(null);
  }
});

test('a stricter policy refuses new acquires; repeated ones get their first answer', async () => {
  const [name, other] = [freshName(), freshName()];
  const first = await acquire(name, { leaseMs: 90_000, requestId: 'r1' });
  const policy = { ...DEFAULT_POLICY, leaseMaxMs: 60_000 };
  await setNamespacePolicy(api.cli, { name: 'default', policy, reason: 'a test' });
  try {
    const again = await acquire(name, { leaseMs: 90_000, requestId: 'r1' });
    const { token, expiresAt } = first.data ?? {};
    expect(again.data).toMatchObject({ outcome: 'granted', token, expiresAt });
    for (const ask of [
      { leaseMs: 90_000 },
      { leaseMs: 90_000, requestId: 'r2' },
      { leaseMs: 90_000, requestId: 'r2', reentrant: true },
    ]) {
      for (const on of [name, other]) {
        const refused = await acquire(on, ask);
        expect([refused.status, refused.reason]).toEqual([400, 'INVALID']);
        expect(refused.text).toContain('leaseMs must be at most 60000 in namespace default.');
      }
    }
    expect((await api.get(key, 'lock.inspect', { name: other })).data?.state).toBe('free');
  } finally {
    await setNamespacePolicy(api.cli, { name: 'default', policy: null, reason: 'a test' });
  }
});

test('renews, inspects, checks and releases a hold', async () => {
  const name = freshName();
  const token = await tokenOf(name);
  const mine = { name, owner: 'worker-1', token };

  const renewed = await api.post(key, 'lock.renew', { ...mine, leaseMs: 60_000 });
  expect(renewed.data).toMatchObject({ outcome: 'renewed' });
  expect(renewed.data?.expiresInMs).toBeGreaterThan(50_000);

  const inspected = await api.get(key, 'lock.inspect', { name });
  expect(inspected.data).toMatchObject({
    state: 'held',
    minValidToken: token,
    holders: [{ owner: 'worker-1', service: 'orders', token }],
    waiters: [],
  });

  expect((await api.get(key, 'lock.check', { name, token })).data).toEqual({ valid: true });
  expect((await api.post(key, 'lock.release', mine)).data).toEqual({ outcome: 'released' });
  expect((await api.get(key, 'lock.check', { name, token })).data).toEqual({ valid: false });
  expect((await api.post(key, 'lock.release', mine)).data).toMatchObject({
    outcome: 'lost',
    cause: 'released',
  });
});

test('a reentrant owner releases once per acquire', async () => {
  const name = freshName();
  const token = await tokenOf(name);
  const again = await acquire(name, { reentrant: true });
  expect(again.data).toMatchObject({ outcome: 'granted', token, holdCount: 2 });
  const mine = { name, owner: 'worker-1', token };
  expect((await api.post(key, 'lock.release', mine)).data).toEqual({
    outcome: 'decremented',
    holdCount: 1,
  });
  expect((await api.post(key, 'lock.release', mine)).data).toEqual({ outcome: 'released' });
});

test('a repeated request id is answered with its grant, or `ended` after the hold', async () => {
  const name = freshName();
  const ask = () => acquire(name, { requestId: 'once' });
  const first = (await ask()).data;
  const second = (await ask()).data;
  expect(second).toMatchObject({ outcome: 'granted', token: first?.token, rev: first?.rev });
  await api.post(key, 'lock.release', { name, owner: 'worker-1', token: first?.token });
  expect((await ask()).data).toEqual({
    outcome: 'ended',
    token: first?.token,
    cause: 'released',
  });
});

test('one request id with another input is INVALID', async () => {
  const name = freshName();
  await acquire(name, { requestId: 'one-input' });
  const { status, reason } = await acquire(name, { requestId: 'one-input', leaseMs: 20_000 });
  expect([status, reason]).toEqual([400, 'INVALID']);
});

test('a repeated release with one request id counts once', async () => {
  const name = freshName();
  const token = await tokenOf(name);
  await acquire(name, { reentrant: true });
  const release = () =>
    api.post(key, 'lock.release', { name, owner: 'worker-1', token, requestId: 'r' });
  const first = (await release()).data;
  expect(first).toEqual({ outcome: 'decremented', holdCount: 1 });
  expect((await release()).data).toEqual(first);
});

test('a waiter is granted a released lock', async () => {
  const name = freshName();
  const token = await tokenOf(name);
  const waiting = acquire(name, { owner: 'worker-2', waitMs: 20_000 });
  await expectQueue(name, ['worker-2']);
  await api.post(key, 'lock.release', { name, owner: 'worker-1', token });
  const { data } = await waiting;
  expect(data).toMatchObject({ outcome: 'granted' });
  expect(data?.token).toBeGreaterThan(token);
  expect(data?.waitedMs).toBeGreaterThan(0);
});

test('a waiter whose patience ends is answered `timeout`', async () => {
  const name = freshName();
  await tokenOf(name);
  const { data } = await acquire(name, { owner: 'worker-2', waitMs: 300 });
  expect(data).toMatchObject({ outcome: 'timeout', holders: [{ owner: 'worker-1' }] });
  await expectQueue(name, []);
});

test('a caller that hangs up leaves the queue', async () => {
  const name = freshName();
  await tokenOf(name);
  const line = new AbortController();
  const body = { name, owner: 'gone', leaseMs: 1_000, waitMs: 20_000 };
  const call = api.post(key, 'lock.acquire', body, { signal: line.signal }).catch(() => null);
  await expectQueue(name, ['gone']);
  line.abort();
  await call;
  await expectQueue(name, []);
});

test('a grant whose caller hung up meanwhile is reverted', async () => {
  const name = freshName();
  const { runtime } = api;
  const actor = await runtime.apiKeys.verify(key);
  const gone = { runtime, actor, address: 'local', requestId: 'test', hasHungUp: () => true };
  await acquireLock(gone, acquireInput.parse({ name, owner: 'gone', leaseMs: 60_000 }));
  expect((await api.get(key, 'lock.inspect', { name })).data).toMatchObject({ state: 'free' });
});

test('cancels a waiting acquire by its request id', async () => {
  const name = freshName();
  await tokenOf(name);
  const waiting = acquire(name, { owner: 'worker-2', waitMs: 20_000, requestId: 'w' });
  await expectQueue(name, ['worker-2']);
  const cancel = await api.post(key, 'lock.cancel', { name, owner: 'worker-2', requestId: 'w' });
  expect(cancel.data).toEqual({ outcome: 'cancelled' });
  await expectQueue(name, []);
  await api.post(key, 'lock.cancel', { name, owner: 'worker-2', requestId: 'w' });
  await waiting;
});

test('cancels an acquire that was granted', async () => {
  const name = freshName();
  await acquire(name, { requestId: 'g' });
  const cancel = await api.post(key, 'lock.cancel', { name, owner: 'worker-1', requestId: 'g' });
  expect(cancel.data).toEqual({ outcome: 'released' });
  expect((await api.get(key, 'lock.inspect', { name })).data).toMatchObject({ state: 'free' });
  const again = await api.post(key, 'lock.cancel', { name, owner: 'worker-1', requestId: 'g' });
  expect(again.data).toEqual({ outcome: 'none' });
});

test('names that differ in one byte are different locks', async () => {
  for (const name of ['job', 'JOB', 'job ', 'jób', '__proto__', 'a/b?c#d%', '😀'.repeat(50)]) {
    expect((await acquire(name)).data, name).toMatchObject({ outcome: 'granted' });
    expect((await api.get(key, 'lock.inspect', { name })).data, name).toMatchObject({
      holders: [{ owner: 'worker-1' }],
    });
  }
});

test('a batch answers each call separately', async () => {
  const [a, b] = [freshName(), freshName()];
  const body = {
    0: { name: a, owner: 'o', leaseMs: 1_000 },
    1: { name: b, owner: 'o', leaseMs: 1_000, namespace: 'elsewhere' },
  };
  const { status, text } = await api.post(key, 'lock.acquire,lock.acquire?batch=1', body);
  expect(status).toBe(207);
  expect(JSON.parse(text)).toMatchObject([
    { result: { data: { outcome: 'granted' } } },
    { error: { data: { reason: 'FORBIDDEN', path: 'lock.acquire' } } },
  ]);
});

/** Waits until the queue is as expected: other requests are under way. */
async function expectQueue(name: string, owners: string[]): Promise<void> {
  await expect
    .poll(
      async () => {
        const { data } = await api.get(key, 'lock.inspect', { name });
        return (data as { waiters: { owner: string }[] }).waiters.map(({ owner }) => owner);
      },
      { interval: 20 },
    )
    .toEqual(owners);
}
