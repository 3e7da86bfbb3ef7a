import { randomBytes } from 'node:crypto';
import { createConnection } from 'mysql2/promise';
import { expect, test } from 'vitest';
import { newTestLocation } from '@/db/testing/test-database';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import { ApiHarness } from '@/test/api-harness';

const SOON = { timeout: 50_000, interval: 50 };
/** A busy machine takes long to start so many servers. */
const TEST_TIMEOUT_MS = 180_000;

const byAnotherName = (url: string) => url.replace('127.0.0.1', 'localhost');

const startWith = (orders: string, billing: string) =>
  ApiHarness.start({ LOCKYARD_BACKEND_BILLING: billing, LOCKYARD_BACKEND_ORDERS: orders });

const refusalOf = (orders: string, billing: string) =>
  refusalWith({ LOCKYARD_BACKEND_BILLING: billing, LOCKYARD_BACKEND_ORDERS: orders });

/**
 * Why such a server does not start; null: it starts, for example because a store on a busy machine
 * did not answer.
 */
async function refusalWith(env: Record<string, string>): Promise<string | null> {
  try {
    const api = await ApiHarness.start(env);
    await api.close();
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

const ONE_STORE = 'The backends "orders" and "billing" are the same store under two names.';

test(
  'two backends in one store are refused at the start, by whatever names it is reached',
  async () => {
    const redis = await startPrivateRedis();
    const place = await newTestLocation('mysql');
    const mysql = (place.url as { url: string }).url;
    const zookeeper = `${process.env.TEST_ZOOKEEPER_URL}/ly-${randomBytes(6).toString('hex')}`;
    try {
      for (const url of [redis.url, mysql, zookeeper]) {
        await expect.poll(() => refusalOf(byAnotherName(url), url), SOON).toContain(ONE_STORE);
      }
    } finally {
      await redis.stop();
      await place.remove();
    }
  },
  TEST_TIMEOUT_MS,
);

test(
  'a start that is refused leaves no connection open',
  async () => {
    const place = await newTestLocation('mysql');
    const { url } = place.url as { url: string };
    const root = await createConnection({ uri: process.env.TEST_MYSQL_URL ?? '' });
    const open = async () => {
      const sql = 'SELECT id FROM information_schema.processlist WHERE db = ?';
      const [rows] = await root.query(sql, [new URL(url).pathname.slice(1)]);
      return (rows as unknown[]).length;
    };
    try {
      await expect.poll(() => refusalOf(byAnotherName(url), url), SOON).toContain(ONE_STORE);
      await expect.poll(open).toBe(0);
    } finally {
      await root.end();
      await place.remove();
    }
  },
  TEST_TIMEOUT_MS,
);

test(
  'the control database under another name, as a backend or a shard, is refused at the start',
  async () => {
    const [place, other] = [await newTestLocation('mysql'), await newTestLocation('mysql')];
    const [control, shard] = [place, other].map(({ url }) => (url as { url: string }).url);
    if (!control || !shard) throw new Error('Two databases were made.');
    const [alias, secret] = [byAnotherName(control), randomBytes(32).toString('hex')];
    const asControl = { LOCKYARD_DATABASE_URL: control, LOCKYARD_SECRET: secret };
    const start = (orders: string) =>
      refusalWith({ ...asControl, LOCKYARD_BACKEND_ORDERS: orders });
    try {
      const plain = 'The backends "orders" and "default" are the same store under two names.';
      await expect.poll(() => start(alias), SOON).toContain(plain);
      const words =
        /^The shard localhost:\d+\/\w+ of the backend "orders" and the control database are the same store/;
      await expect.poll(() => start(`${shard},${alias}`), SOON).toMatch(words);
    } finally {
      await Promise.all([place.remove(), other.remove()]);
    }
  },
  TEST_TIMEOUT_MS,
);

test(
  'of two backends in one database that becomes available later the second grants nothing',
  async () => {
    const place = await newTestLocation('mysql');
    const { url } = place.url as { url: string };
    await place.remove();
    const api = await startWith(byAnotherName(url), url);
    try {
      await api.namespace('orders', 'orders');
      await api.namespace('billing', 'billing');
      const key = await api.key('shop', ['orders', 'billing']);
      const acquire = async (namespace: string) => {
        const ask = { namespace, name: 'n', owner: 'o', leaseMs: 1_000 };
        const { data, error } = await api.post(key, 'lock.acquire', ask);
        return data?.outcome ?? error?.message;
      };
      const root = await createConnection({ uri: process.env.TEST_MYSQL_URL ?? '' });
      await root.query(`CREATE DATABASE ${new URL(url).pathname.slice(1)}`);
      await root.end();
      await expect.poll(() => acquire('billing'), SOON).toBe('granted');
      const afterReading = async () => {
        await api.runtime.guarantees.get('orders')?.read();
        return acquire('orders');
      };
      await expect.poll(afterReading, SOON).toContain(ONE_STORE);
    } finally {
      await api.close();
      await place.remove();
    }
  },
  TEST_TIMEOUT_MS,
);
