import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiHarness } from '@/test/api-harness';
import { DEFAULT_POLICY } from '../../contract/namespace-policy';
import { HeapWatch } from '../../monitoring/maintenance/heap-watch';
import { createCounter } from '../../operations/counters/for-people/create-counter';
import { setFrozen } from '../../operations/locks/for-people/set-frozen';
import { setNamespacePolicy } from '../../operations/namespaces/set-namespace-policy';

const folder = { path: '' };
const heap = { used: 1, limit: 100 };
let api: ApiHarness;
let key: string;

const start = async () => {
  const watch = new HeapWatch({ monotonic: () => performance.now() }, () => heap);
  api = await ApiHarness.start({ LOCKYARD_DATA_DIR: folder.path }, { heap: watch });
};

beforeEach(async () => {
  folder.path = mkdtempSync(join(tmpdir(), 'lockyard-full-'));
  heap.used = 1;
  await start();
  key = await api.key('orders');
});
afterEach(async () => {
  await api.close();
  rmSync(folder.path, { recursive: true });
});

const allow = (maxLocks: number) =>
  setNamespacePolicy(api.cli, {
    name: 'default',
    policy: { ...DEFAULT_POLICY, maxLocks },
    reason: 'a test of its bound',
  });
const acquire = (name: string, more: object = {}) =>
  api.post(key, 'lock.acquire', { name, owner: 'w1', leaseMs: 60_000, ...more });
const FULL = { status: 429, reason: 'NAMESPACE_FULL' };

test('beyond maxLocks every new name is refused with 429, and existing ones work', async () => {
  await allow(3);
  const first = await acquire('a', { requestId: 'one' });
  const { token } = first.data as { token: number };
  await acquire('b');
  await api.post(key, 'counter.create', { name: 'c', initial: 1 });
  const reply = await acquire('d');
  expect(reply).toMatchObject(FULL);
  expect(reply.error?.data).toMatchObject({ retryAfterMs: 5_000 });
  expect(reply.error?.message).toMatch(
    /"default" is full: its policy allows 3 locks and counters together, and it has 3\./,
  );
  const set = { locks: [{ name: 'b' }, { name: 'd' }], owner: 'w2', leaseMs: 1_000 };
  expect(await api.post(key, 'lock.acquireMany', set)).toMatchObject(FULL);
  expect(await acquire('d', { waitMs: 1_000, requestId: 'two' })).toMatchObject(FULL);
  expect(await api.post(key, 'counter.create', { name: 'd' })).toMatchObject(FULL);
  const act = { namespace: 'default', name: 'd', reason: 'a test of its bound' };
  const full = { reason: 'NAMESPACE_FULL' };
  await expect(setFrozen(api.cli, 'freeze', { ...act, rev: 0 })).rejects.toMatchObject(full);
  await expect(createCounter(api.cli, { ...act, initial: 0 })).rejects.toMatchObject(full);

  expect((await acquire('a', { requestId: 'one' })).data).toMatchObject({ outcome: 'granted' });
  const hold = { name: 'a', owner: 'w1', token };
  const renewed = await api.post(key, 'lock.renew', { ...hold, leaseMs: 1_000 });
  expect(renewed.data).toMatchObject({ outcome: 'renewed' });
  expect((await api.post(key, 'lock.release', hold)).data).toEqual({ outcome: 'released' });
  expect((await acquire('a', { owner: 'w3' })).data).toMatchObject({ outcome: 'granted' });
  const added = await api.post(key, 'counter.add', { name: 'c', delta: 1 });
  expect(added.data).toMatchObject({ value: 2 });
  await allow(4);
  expect((await acquire('d')).data).toMatchObject({ outcome: 'granted' });
});

test('of many simultaneous new names, exactly as many are created as fit', async () => {
  await allow(10);
  const replies = await Promise.all(Array.from({ length: 60 }, (_, i) => acquire(`many ${i}`)));
  const made = replies.filter(({ data }) => data?.outcome === 'granted');
  expect(made).toHaveLength(10);
  for (const reply of replies) if (!reply.data) expect(reply).toMatchObject(FULL);
});

test('a restarted server counts the existing names', async () => {
  await allow(2);
  await acquire('a');
  await acquire('b');
  await api.close();
  await start();
  const isCounted = () => expect(api.runtime.nameCount.total('default')).toBe(2);
  await vi.waitFor(isCounted, { timeout: 10_000, interval: 20 });
  expect(await acquire('c')).toMatchObject(FULL);
});

test('at 80 % of the heap new names are refused everywhere; existing ones still work', async () => {
  await acquire('a');
  heap.used = 80;
  let names = 0;
  const reply = async () => {
    names += 1;
    return acquire(`new ${names}`);
  };
  await expect.poll(reply).toMatchObject(FULL);
  expect((await reply()).error?.message).toMatch(/short of memory/);
  expect((await acquire('a', { owner: 'w2' })).data).toMatchObject({ outcome: 'held' });
});
