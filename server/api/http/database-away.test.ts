import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newTestLocation, TEST_DIALECTS, type TestLocation } from '@/db/testing/test-database';
import type { LockPage } from '@/server/contract/console/lock-row';
import { revokeApiKey } from '@/server/operations/api-keys/revoke-api-key';
import { createUser } from '@/server/operations/users/create-user';
import { ApiHarness, type Reply } from '@/test/api-harness';
import { TcpProxy } from '@/test/tcp-proxy';

const isMysqlTested = (TEST_DIALECTS as readonly string[]).includes('mysql');
const PASSWORD = 'plough the seventh field';
/** The promise is 5 s; the rest is a margin for a busy machine. */
const ANSWER_MAX_MS = 12_000;
const RECOVER_MAX_MS = 15_000;

/** A MySQL database behind a connection that can be cut. */
async function openLine(): Promise<{ place: TestLocation; line: TcpProxy; url: string }> {
  const place = await newTestLocation('mysql');
  if (place.url.kind !== 'mysql') throw new Error('Not a MySQL.');
  const url = new URL(place.url.url);
  const line = await TcpProxy.start(url.hostname, Number(url.port || 3306));
  url.hostname = '127.0.0.1';
  url.port = String(line.port);
  return { place, line, url: url.href };
}

describe.skipIf(!isMysqlTested)('over MySQL', () => {
  let place: TestLocation;
  let line: TcpProxy;
  let api: ApiHarness;
  let key: string;
  let cookie: string;

  beforeAll(async () => {
    let url: string;
    ({ place, line, url } = await openLine());
    api = await ApiHarness.start({ LOCKYARD_DATABASE_URL: url });
    key = await api.key('orders');
    await createUser(api.cli, { name: 'otto', role: 'operator', password: PASSWORD });
    cookie = await api.signIn('otto', PASSWORD);
  });
  afterAll(async () => {
    line.open();
    await api.close();
    await line.close();
    await place.remove();
  });

  const acquire = (name: string) =>
    api.post(key, 'lock.acquire', { name, owner: 'o', leaseMs: 60_000 });

  const failures: [string, () => void][] = [
    ['is cut off', () => line.refuse()],
    ['falls silent', () => line.silence()],
  ];

  test.each(failures)(
    'a database that %s is reported within 5 s, and recovers automatically within 5 s',
    async (what, fail) => {
      const name = `held as it ${what}`;
      const { token, rev } = (await acquire(name)).data as { token: number; rev: number };
      await expect
        .poll(async () => (await pageOf(name)).rows[0]?.status, { timeout: 15_000 })
        .toBe('held');
      const mine = { name, owner: 'o', token };

      fail();
      const replies = await Promise.all([
        inTime(acquire(`new as it ${what}`)),
        inTime(api.post(key, 'lock.renew', { ...mine, leaseMs: 60_000 })),
        inTime(api.post(key, 'lock.release', mine)),
        inTime(api.get(key, 'lock.inspect', { name })),
        inTime(api.get(key, 'lock.check', { name, token })),
        inTime(act('locks.forceRelease', { name, token, rev })),
      ]);
      for (const reply of replies) {
        expect(['BACKEND_DOWN', 'UNKNOWN'], reply.text).toContain(reply.reason);
        expect(reply.text).not.toMatch(/ECONN|mysql|127\.0\.0\.1|\bat .*:\d/i);
      }
      expect(replies[3].reason).toBe('BACKEND_DOWN');
      expect(replies[3].error?.data.retryAfterMs).toBeGreaterThan(0);
      expect(Number(replies[3].headers.get('retry-after'))).toBeGreaterThan(0);

      await expect
        .poll(async () => (await pageOf(name)).rows[0]?.status, { timeout: ANSWER_MAX_MS })
        .toBe('unknown');
      const shown = await pageOf(name);
      expect(shown.rows).toMatchObject([{ hold: { token } }]);
      expect(shown.backends).toMatchObject([{ id: 'default', reachable: false }]);
      expect((await api.send('/api/health/ready')).status).toBe(503);

      line.open();
      await expect
        .poll(async () => (await acquire(`after it ${what}`)).data?.outcome, {
          timeout: RECOVER_MAX_MS,
          interval: 100,
        })
        .toBe('granted');
      await expect
        .poll(async () => (await api.send('/api/health/ready')).status, { timeout: RECOVER_MAX_MS })
        .toBe(200);
      await expect
        .poll(async () => (await pageOf(name)).rows[0]?.status, { timeout: RECOVER_MAX_MS })
        .not.toBe('unknown');
    },
  );

  async function pageOf(search: string): Promise<LockPage> {
    const reply = await api.console(cookie, 'locks.list', { search });
    expect(reply.status, reply.text).toBe(200);
    return reply.data as unknown as LockPage;
  }

  function act(procedure: string, seen: object): Promise<Reply> {
    const input = { namespace: 'default', reason: 'it is stuck', ...seen };
    return api.console(cookie, procedure, input, 'mutation');
  }
});

describe.skipIf(!isMysqlTested)('a backend besides the control database', () => {
  test('may be down at start: its locks are unknown until it responds', async () => {
    const { place, line, url } = await openLine();
    line.refuse();
    const api = await ApiHarness.start({ LOCKYARD_BACKEND_LATE: url });
    await api.namespace('there', 'late');
    const key = await api.key('orders', ['default', 'there']);
    let taken = 0;
    const take = (namespace: string) => {
      taken += 1;
      const name = `lock ${taken}`;
      return api.post(key, 'lock.acquire', { namespace, name, owner: 'o', leaseMs: 60_000 });
    };

    expect((await take('default')).data).toMatchObject({ outcome: 'granted' });
    const refused = await inTime(take('there'));
    expect([refused.status, refused.reason]).toEqual([503, 'BACKEND_DOWN']);
    line.open();
    await expect
      .poll(async () => (await take('there')).data?.outcome, { timeout: RECOVER_MAX_MS })
      .toBe('granted');

    await api.close();
    await line.close();
    await place.remove();
  });
});

describe.skipIf(!isMysqlTested)('two servers over one MySQL', () => {
  test('a release at one grants to a waiter at the other; a revoked key ends at both', async () => {
    const place = await newTestLocation('mysql');
    if (place.url.kind !== 'mysql') throw new Error('Not a MySQL.');
    const env = {
      LOCKYARD_DATABASE_URL: place.url.url,
      LOCKYARD_SECRET: 'two servers that share this one secret',
    };
    const [one, two] = [await ApiHarness.start(env), await ApiHarness.start(env)];
    const key = await one.key('orders');
    const ask = { name: 'shared', owner: 'first', leaseMs: 60_000 };
    const first = await one.post(key, 'lock.acquire', ask);
    const waiting = two.post(key, 'lock.acquire', { ...ask, owner: 'second', waitMs: 20_000 });
    const waiters = async () =>
      (await one.get(key, 'lock.inspect', { name: 'shared' })).data?.waiters;
    await expect.poll(waiters).toMatchObject([{ owner: 'second' }]);
    const token = first.data?.token;
    await one.post(key, 'lock.release', { name: 'shared', owner: 'first', token });
    expect((await waiting).data).toMatchObject({ outcome: 'granted' });

    await revokeApiKey(one.cli, { id: await one.keyId('orders') });
    const refusedBy = async (api: ApiHarness) =>
      (await api.get(key, 'lock.inspect', { name: 'shared' })).reason;
    expect(await refusedBy(one)).toBe('UNAUTHENTICATED');
    await expect.poll(() => refusedBy(two)).toBe('UNAUTHENTICATED');

    await Promise.all([one.close(), two.close()]);
    await place.remove();
  });
});

/** The answer, which must arrive in time. */
async function inTime(call: Promise<Reply>): Promise<Reply> {
  const startedAt = performance.now();
  const reply = await call;
  expect(performance.now() - startedAt).toBeLessThan(ANSWER_MAX_MS);
  return reply;
}
