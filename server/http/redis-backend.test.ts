import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startPrivateRedis } from '@/scripts/private-redis.mjs';
import type { GuaranteeRow } from '@/server/domain/guarantee-row';
import type { BackendHealth } from '@/server/domain/lock-row';
import { createPerson } from '@/server/operations/create-person';
import { ApiHarness } from '@/test/api-harness';

const PASSWORD = 'plough the seventh field';
const LEASE_MS = 1_000;
const SOON = { timeout: 15_000, interval: 50 };

let redis: Awaited<ReturnType<typeof startPrivateRedis>>;
let api: ApiHarness;
let key: string;
let cookie: string;

beforeAll(async () => {
  redis = await startPrivateRedis();
  api = await ApiHarness.start({ LOCKYARD_BACKEND_ORDERS: redis.url });
  await api.namespace('orders', 'orders');
  key = await api.key('shop', ['orders']);
  await createPerson(api.cli, { name: 'otto', role: 'operator', password: PASSWORD });
  cookie = await api.signIn('otto', PASSWORD);
});
afterAll(async () => {
  await api.close();
  await redis.stop();
});

/** Reads the settings now, as an operator does who does not want to wait for the minute to pass. */
const readAgain = async () => {
  const ask = { backend: 'orders' };
  const { data } = await api.console(cookie, 'backends.readGuarantees', ask, 'mutation');
  return data as unknown as GuaranteeRow;
};
const acquire = (name: string) => {
  const ask = { namespace: 'orders', name, owner: 'o', leaseMs: LEASE_MS };
  return api.post(key, 'lock.acquire', ask);
};
const health = async () => {
  const { data } = await api.console(cookie, 'backends.list', undefined);
  return (data as unknown as BackendHealth[]).find(({ id }) => id === 'orders');
};
const listed = async () => {
  const { data } = await api.console(cookie, 'locks.list', {});
  return (data as unknown as { rows: { name: string }[] }).rows.map(({ name }) => name);
};

test('a Redis that is emptied under a running server is told of, grants nothing for one lease, and goes on with higher tokens', async () => {
  const before = await acquire('nightly');
  expect(before.data).toMatchObject({ outcome: 'granted' });
  await expect.poll(listed, SOON).toEqual(['nightly']);

  redis.signal('SIGKILL');
  await redis.start();

  await expect.poll(async () => (await health())?.loss, SOON).toMatchObject({ what: 'empty' });
  await expect.poll(listed, SOON).toEqual([]);
  let again = before;
  await vi.waitFor(async () => {
    again = await acquire('nightly');
    expect(again.data?.outcome).toBe('granted');
  }, SOON);
  expect(Number(again.data?.token)).toBeGreaterThan(Number(before.data?.token));
  expect((await health())?.loss).toMatchObject({ what: 'empty', quietForMs: 0 });
});

test.each([
  ['began to evict keys', ['CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru'], /noeviction/],
  ['became a replica', ['REPLICAOF', '127.0.0.1', '1'], /a replica/],
])(
  'a Redis that %s under a running server grants nothing, says why, and grants again when that is put right',
  async (what, [command = '', ...args], why) => {
    const admin = new Redis(redis.url, { protocol: 2 });
    try {
      await admin.call(command, ...args);
      await expect.poll(readAgain, SOON).toMatchObject({
        closedBecause: expect.stringMatching(why),
        reading: { level: 'Best-effort', unsafe: expect.stringMatching(why) },
      });
      expect(await acquire('refused')).toMatchObject({ status: 503, reason: 'BACKEND_DOWN' });
      await admin.config('SET', 'maxmemory-policy', 'noeviction');
      await admin.call('REPLICAOF', 'NO', 'ONE');
      await expect.poll(readAgain, SOON).toMatchObject({ closedBecause: null });
      await vi.waitFor(async () => {
        expect((await acquire(`after it ${what}`)).data?.outcome).toBe('granted');
      }, SOON);
    } finally {
      admin.disconnect();
    }
  },
);
