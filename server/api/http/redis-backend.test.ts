import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import type { AuditEntry } from '@/server/contract/console/audit-entry';
import type { BackendHealth } from '@/server/contract/console/backend-health';
import type { GuaranteeRow } from '@/server/contract/console/guarantee-row';
import { createUser } from '@/server/operations/users/create-user';
import { ApiHarness } from '@/test/api-harness';
import { parseExposition } from '@/test/exposition';

const PASSWORD = 'plough the seventh field';
const LEASE_MS = 1_000;
const SOON = { timeout: 15_000, interval: 50 };

let redis: Awaited<ReturnType<typeof startPrivateRedis>>;
let api: ApiHarness;
let key: string;
let cookie: string;

beforeAll(async () => {
  redis = await startPrivateRedis();
  // An unsafe Redis is never allowed, even if LOCKYARD_ALLOW_UNSAFE names it.
  const allowed = { LOCKYARD_ALLOW_UNSAFE: 'orders' };
  api = await ApiHarness.start({ LOCKYARD_BACKEND_ORDERS: redis.url, ...allowed });
  await api.namespace('orders', 'orders');
  key = await api.key('shop', ['orders']);
  await createUser(api.cli, { name: 'otto', role: 'operator', password: PASSWORD });
  cookie = await api.signIn('otto', PASSWORD);
});
afterAll(async () => {
  await api.close();
  await redis.stop();
});

/** Reads the settings now, as for an operator who does not wait for the next minute. */
const readAgain = async () => {
  const ask = { backend: 'orders' };
  const { data } = await api.console(cookie, 'backends.readGuarantees', ask, 'mutation');
  return data as unknown as GuaranteeRow;
};
const acquire = (name: string, parts: object = {}) => {
  const ask = { namespace: 'orders', name, owner: 'o', leaseMs: LEASE_MS, ...parts };
  return api.post(key, 'lock.acquire', ask);
};
const health = async () => {
  const { data } = await api.console(cookie, 'backends.list', undefined);
  return (data as unknown as BackendHealth[]).find(({ id }) => id === 'orders');
};
/** The value that Prometheus reads of a metric of this backend. */
const metric = async (name: string) => {
  const { text } = await api.send('/metrics');
  const { series } = parseExposition(text).get(name) ?? { series: [] };
  return series.find(({ labels }) => labels.backend === 'orders')?.value;
};
/** Changes the server directly, without Lockyard. */
const asAdmin = async (...commands: [string, ...string[]][]) => {
  const admin = new Redis(redis.url, { protocol: 2 });
  for (const [command, ...args] of commands) await admin.call(command, ...args);
  admin.disconnect();
};
/** What the audit log says of data losses. */
const auditedLosses = async () => {
  const { data } = await api.console(cookie, 'audit.list', { act: 'backend.dataLoss' });
  return (data as unknown as { rows: AuditEntry[] }).rows.map(({ subject, actor, result }) => ({
    subject,
    actor,
    message: result.message,
  }));
};
const listed = async () => {
  const { data } = await api.console(cookie, 'locks.list', {});
  return (data as unknown as { rows: { name: string }[] }).rows.map(({ name }) => name);
};

test('a Redis that is emptied grants nothing for one lease, then higher tokens', async () => {
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
  const message = 'The store was empty.';
  expect(await auditedLosses()).toEqual([{ subject: 'orders', actor: 'Lockyard', message }]);
});

test('a Redis that became a replica is refused, and has lost data as a primary again', async () => {
  await asAdmin(['REPLICAOF', '127.0.0.1', '1']);
  await expect.poll(async () => (await health())?.refusal, SOON).toContain('a replica');
  const refused = await acquire('refused');
  expect(refused).toMatchObject({ status: 503, reason: 'BACKEND_DOWN' });
  expect(refused.error?.message).toMatch(/^This Redis is a replica:.*Nothing was changed\.$/);
  await asAdmin(['REPLICAOF', 'NO', 'ONE']);
  await expect.poll(async () => (await health())?.loss, SOON).toMatchObject({ what: 'replaced' });
  await expect.poll(async () => (await acquire('after it')).data?.outcome, SOON).toBe('granted');
});

test('a Redis with full memory is reported as such in its health and every refusal', async () => {
  await asAdmin(['CONFIG', 'SET', 'maxmemory', '1mb']);
  try {
    await expect.poll(async () => (await health())?.refusal, SOON).toContain('is full');
    const refused = await acquire('refused');
    expect(refused).toMatchObject({ status: 503, reason: 'BACKEND_DOWN' });
    expect(refused.error?.message).toMatch(/^The memory of this Redis is full.*\(OOM\)\. Nothing/);
  } finally {
    await asAdmin(['CONFIG', 'SET', 'maxmemory', '0']);
  }
  await expect.poll(async () => (await acquire('after it')).data?.outcome, SOON).toBe('granted');
  expect((await health())?.refusal).toBeUndefined();
});

const WHY_EVICTING = /^The backend "orders" grants nothing.*noeviction\. Fix its configuration\.$/;

test('a Redis that began to evict keys grants nothing, and existing holds continue', async () => {
  const held = { leaseMs: 60_000 };
  const { token } = (await acquire('held before', held)).data as { token: number };
  const other = (await acquire('held as well', held)).data as { token: number };
  const waiting = acquire('held before', { owner: 'patient', waitMs: 25_000 });
  const ref = { namespace: 'orders', name: 'held before' };
  const waiters = async () => (await api.get(key, 'lock.inspect', ref)).data?.waiters;
  await expect.poll(waiters, SOON).toHaveLength(1);
  await asAdmin(['CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru']);
  // No operator reads the settings again: the store notices the change itself.
  await expect.poll(() => metric('lockyard_backend_closed'), SOON).toBe(1);
  expect(await metric('lockyard_backend_up')).toBe(1);
  const { closedBecause, reading } = await readAgain();
  expect(closedBecause).toMatch(WHY_EVICTING);
  expect(reading).toMatchObject({ level: 'Best-effort', isNeverAllowed: true });

  const mine = { namespace: 'orders', name: 'held before', owner: 'o', token };
  for (let renewals = 0; renewals < 5; renewals += 1) {
    const renewed = await api.post(key, 'lock.renew', { ...mine, ...held });
    expect(renewed.data).toMatchObject({ outcome: 'renewed' });
    const refused = await acquire('new');
    expect(refused).toMatchObject({ status: 503, reason: 'BACKEND_DOWN' });
    expect(refused.error?.message).toMatch(WHY_EVICTING);
    await asAdmin(['CONFIG', 'SET', 'maxmemory-policy', 'volatile-ttl']);
    expect(await health()).toMatchObject({ reachable: true, loss: { what: 'replaced' } });
  }
  expect((await api.post(key, 'lock.release', mine)).data).toEqual({ outcome: 'released' });

  await asAdmin(['CONFIG', 'SET', 'maxmemory-policy', 'noeviction']);
  expect((await waiting).data).toMatchObject({ outcome: 'granted' });
  await expect.poll(() => metric('lockyard_backend_closed'), SOON).toBe(0);
  const late = { ...mine, name: 'held as well', token: other.token };
  expect((await api.post(key, 'lock.release', late)).data).toEqual({ outcome: 'released' });
});
