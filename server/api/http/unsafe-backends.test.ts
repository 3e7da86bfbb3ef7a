import { type Connection, createConnection } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { startPrivateMariadb } from '@/scripts/servers/private-mariadb.mjs';
import type { GuaranteeRow } from '@/server/contract/console/guarantee-row';
import { createUser } from '@/server/operations/users/create-user';
import { ApiHarness, type Reply } from '@/test/api-harness';

const PASSWORD = 'plough the seventh field';

/** On a busy machine a server may not answer in time. */
const SOON = { timeout: 30_000, interval: 50 };

let mysql: Awaited<ReturnType<typeof startPrivateMariadb>>;
let root: Connection;
let api: ApiHarness;
let key: string;
let cookie: string;

beforeAll(async () => {
  mysql = await startPrivateMariadb({ durable: false });
  root = await createConnection({ uri: mysql.url });
  await root.query('CREATE DATABASE orders');
  await root.query('CREATE DATABASE control');
  api = await ApiHarness.start({ LOCKYARD_BACKEND_ORDERS: `${mysql.url}/orders` });
  await api.namespace('orders', 'orders');
  key = await api.key('shop', ['default', 'orders']);
  await createUser(api.cli, { name: 'otto', role: 'operator', password: PASSWORD });
  cookie = await api.signIn('otto', PASSWORD);
});
afterEach(() => root.query('SET GLOBAL read_only = OFF, innodb_flush_log_at_trx_commit = 2'));
afterAll(async () => {
  await api.close();
  await root.end();
  await mysql.stop();
});

/**
 * Reads the settings now, as for an operator who does not wait for the next minute; again until
 * that succeeds.
 */
async function readAgain(): Promise<GuaranteeRow> {
  let row = await readOnce();
  await expect
    .poll(async () => {
      if (row.isFailing) row = await readOnce();
      return row.isFailing;
    }, SOON)
    .toBe(false);
  return row;
}

async function readOnce(): Promise<GuaranteeRow> {
  const ask = { backend: 'orders' };
  const reply = await api.console(cookie, 'backends.readGuarantees', ask, 'mutation');
  return reply.data as unknown as GuaranteeRow;
}

const acquire = (name: string, parts: object = {}) =>
  api.post(key, 'lock.acquire', {
    namespace: 'orders',
    name,
    owner: 'o',
    leaseMs: 60_000,
    ...parts,
  });

test('a setting changed on the real server is shown with its reason', async () => {
  expect((await readAgain()).reading).toMatchObject({
    level: 'Best-effort',
    reasons: [expect.stringContaining('once a second')],
  });
  await root.query('SET GLOBAL innodb_flush_log_at_trx_commit = 1');
  expect((await readAgain()).reading).toMatchObject({ level: 'Strong', unsafe: null });
});

test('a replica is unsafe, and a former one is until its replica settings are reset', async () => {
  await root.query(
    "CHANGE MASTER TO MASTER_HOST = '127.0.0.1', MASTER_PORT = 1, MASTER_USER = 'x'",
  );
  await root.query('START SLAVE');
  expect((await readAgain()).reading?.unsafe).toMatch(/copies another one/);
  await root.query('STOP SLAVE');
  const stopped = await readAgain();
  expect(stopped).toMatchObject({ closedBecause: null, reading: { level: 'Best-effort' } });
  expect(stopped.reading?.reasons.join()).toMatch(/was a replica/);
  await root.query('RESET SLAVE ALL');
  expect((await readAgain()).reading?.reasons.join()).not.toMatch(/replica/);
});

test('a server that should wait for replicas and has none is not rated higher for it', async () => {
  await root.query('SET GLOBAL innodb_flush_log_at_trx_commit = 1');
  await root.query('SET GLOBAL rpl_semi_sync_master_enabled = ON');
  const { reading } = await readAgain();
  await root.query('SET GLOBAL rpl_semi_sync_master_enabled = OFF');
  expect(reading).toMatchObject({
    level: 'Best-effort',
    reasons: [expect.stringContaining('No replica confirms')],
  });
});

test('a read-only server grants nothing, says why, and renews, releases and inspects', async () => {
  let held: Reply['data'];
  const isHeld = async () => {
    held = (await acquire('held before', { requestId: 'take' })).data;
    return held !== undefined;
  };
  await expect.poll(isHeld, SOON).toBe(true);
  const { token } = held as unknown as { token: number };
  const waiting = acquire('held before', { owner: 'patient', waitMs: 25_000 });
  await expect.poll(async () => (await inspect('held before')).data?.waiters, SOON).toHaveLength(1);
  await root.query('SET GLOBAL read_only = ON');
  await readAgain();

  let refused = await acquire('new');
  const why = async () => {
    refused = await acquire('new');
    return refused.error?.message;
  };
  await expect.poll(why, SOON).toMatch(/read-only.*LOCKYARD_ALLOW_UNSAFE=orders/);
  expect(refused).toMatchObject({ status: 503, reason: 'BACKEND_DOWN' });
  expect(refused.error?.data.retryAfterMs).toBeGreaterThan(0);
  const set = {
    namespace: 'orders',
    owner: 'o',
    leaseMs: 1_000,
    locks: [{ name: 'a' }, { name: 'b' }],
  };
  expect((await api.post(key, 'lock.acquireMany', set)).reason).toBe('BACKEND_DOWN');
  const counter = { namespace: 'orders', name: 'stock' };
  expect((await api.post(key, 'counter.create', counter)).reason).toBe('BACKEND_DOWN');
  expect(
    (await api.post(key, 'lock.acquire', { name: 'x', owner: 'o', leaseMs: 1_000 })).data,
  ).toMatchObject({ outcome: 'granted' });

  const mine = { namespace: 'orders', name: 'held before', owner: 'o', token };
  const renewed = () => api.post(key, 'lock.renew', { ...mine, leaseMs: 60_000 });
  await expect.poll(async () => (await renewed()).data, SOON).toMatchObject({ outcome: 'renewed' });
  const released = () => api.post(key, 'lock.release', { ...mine, requestId: 'back' });
  await expect.poll(async () => (await released()).data, SOON).toEqual({ outcome: 'released' });
  expect((await inspect('held before')).data).toMatchObject({ state: 'free', holders: [] });

  await root.query('SET GLOBAL read_only = OFF');
  await readAgain();
  expect((await waiting).data).toMatchObject({ outcome: 'granted' });
});

test('an unsafe control database ends the start with one line, unless it is allowed', async () => {
  await root.query('SET GLOBAL read_only = ON');
  await expect(ApiHarness.start(controlAs('root'))).rejects.toThrow(
    /^The configuration of the control database is unsafe[^\n]*read-only[^\n]*LOCKYARD_ALLOW_UNSAFE=default\.$/,
  );
  const other = await ApiHarness.start({ ...controlAs('root'), LOCKYARD_ALLOW_UNSAFE: 'default' });
  expect(await takesLocks(other)).toBe(true);
  expect(other.runtime.guarantees.get('default')?.row()).toMatchObject({
    isAllowed: true,
    reading: { level: 'Best-effort' },
  });
  await other.close();
});

test('the rights in docs/backends.md suffice, for the first start and later ones', async () => {
  await root.query("CREATE USER plain@'%'");
  await root.query('DROP DATABASE control');
  await root.query('CREATE DATABASE control');
  const first = "SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX ON control.* TO plain@'%'";
  await root.query(`GRANT ${first}`);
  await (await ApiHarness.start(controlAs('plain'))).close();
  await root.query("REVOKE ALL ON control.* FROM plain@'%'");
  await root.query("GRANT SELECT, INSERT, UPDATE, DELETE ON control.* TO plain@'%'");
  const other = await ApiHarness.start(controlAs('plain'));
  expect(await takesLocks(other)).toBe(true);
  await other.close();
});

test('a control database that accepts no writes ends the start with one line', async () => {
  await root.query('CREATE DATABASE empty');
  await root.query("GRANT ALL ON empty.* TO plain@'%'");
  await root.query('SET GLOBAL read_only = ON');
  const start = ApiHarness.start({
    ...controlAs('plain'),
    LOCKYARD_DATABASE_URL: urlOf('plain', 'empty'),
  });
  await expect(start).rejects.toThrow(
    /^The database could not be migrated: [^\n]*read-only[^\n]*$/,
  );
});

async function takesLocks(other: ApiHarness): Promise<boolean> {
  const ask = { name: 'n', owner: 'o', leaseMs: 1_000 };
  const { data } = await other.post(await other.key('shop'), 'lock.acquire', ask);
  return data?.outcome === 'granted' || data?.outcome === 'held';
}

const urlOf = (user: string, database: string) => `${mysql.url.replace('root', user)}/${database}`;

const controlAs = (user: string) => ({
  LOCKYARD_DATABASE_URL: urlOf(user, 'control'),
  LOCKYARD_SECRET: 'Zk3vN1xq8TtY5mRw0LpC7dHs2BfJ9gUe',
});

const inspect = (name: string) => api.get(key, 'lock.inspect', { namespace: 'orders', name });
