import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection } from 'mysql2/promise';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { openDatabase } from '@/db/open-database';
import { openTestDatabase } from '@/db/testing/test-database';
import { tlsFailure } from '@/db/tls-failure';
import { startPrivateMariadb } from '@/scripts/servers/private-mariadb.mjs';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import { startPrivateZookeeper } from '@/scripts/servers/private-zookeeper.mjs';
import { freePort } from '@/scripts/system/free-port.mjs';
import { TcpProxy } from '@/test/tcp-proxy';
import { readConfig } from '../bootstrap/config/config';
import { openControlRuntime } from '../bootstrap/open-control-runtime';
import { systemClock } from '../platform/clock';
import { createLog } from '../platform/log';
import { created, freshKey, stored } from './conformance/testing/changes';
import { startProcess } from './conformance/testing/start-process';
import { type Store, testMysqlUrl } from './conformance/testing/stores-under-test';
import { TestAuthority } from './conformance/testing/test-authority';
import { StoreIncarnation } from './incarnation/store-incarnation';
import { openBackend } from './open-store';
import { RedisStore } from './redis/redis-store';
import { openZookeeperStore } from './zookeeper/zookeeper-store';

const SOON = { timeout: 25_000, interval: 50 };

const STATE_WITHIN = { timeout: 10_000, interval: 50 };

let authority: TestAuthority;
let stranger: TestAuthority;
let control: Awaited<ReturnType<typeof openTestDatabase>>;
let mysql: Awaited<ReturnType<typeof startPrivateMariadb>>;
let redis: Awaited<ReturnType<typeof startPrivateRedis>>;
let zookeeper: Awaited<ReturnType<typeof startPrivateZookeeper>>;
let redisTlsPort: number;

beforeAll(async () => {
  [authority, stranger] = [new TestAuthority(), new TestAuthority()];
  const { key, cert, keyStore } = authority.sign('IP:127.0.0.1');
  control = await openTestDatabase('sqlite');
  redisTlsPort = await freePort();
  const tls = ['--tls-cert-file', cert, '--tls-key-file', key, '--tls-auth-clients', 'no'];
  const settings = [
    '--tls-port',
    String(redisTlsPort),
    '--tls-ca-cert-file',
    authority.file,
    ...tls,
  ];
  [mysql, redis, zookeeper] = await Promise.all([
    startPrivateMariadb({ durable: false, settings: [`--ssl-cert=${cert}`, `--ssl-key=${key}`] }),
    startPrivateRedis({ settings }),
    startPrivateZookeeper({ settings: ['forceSync=no'], keyStore }),
  ]);
});

afterAll(async () => {
  await Promise.all([mysql?.stop(), redis?.stop(), zookeeper?.stop()]);
  await control.close();
  authority.remove();
  stranger.remove();
});

/** Opens the store of a server with this URL in its environment. */
async function opened(url: string, authorityFile?: string): Promise<Store> {
  const { backends } = readConfig({
    LOCKYARD_BACKEND_ORDERS: url,
    LOCKYARD_TLS_CA_ORDERS: authorityFile,
  });
  const [backend] = backends;
  const place = backend && 'url' in backend ? backend.url : null;
  if (!place) throw new Error('It names no store.');
  if (place.kind === 'mysql' || place.kind === 'sqlite') return openBackend(place, systemClock);
  const incarnation = await StoreIncarnation.open(control, place.kind, Date.now());
  if (place.kind === 'redis') return new RedisStore(place.url, incarnation);
  return openZookeeperStore(place, incarnation);
}

/** Why such a store cannot be used: the line that is logged. */
async function complaint(url: string, authorityFile?: string): Promise<string> {
  try {
    const store = await opened(url, authorityFile);
    try {
      await store.guarantees();
    } finally {
      await store.close();
    }
  } catch (error) {
    return (error as Error).message;
  }
  return 'It can be used.';
}

/** The console's reason for a backend with such a store, once it shows one. */
async function stateOf(open: () => Promise<Store>): Promise<string> {
  const { engine, close } = await startProcess(open);
  try {
    return await vi.waitFor(() => {
      const { reachable, refusal } = engine.health();
      expect({ reachable, refusal }).toEqual({ reachable: false, refusal: expect.any(String) });
      return refusal as string;
    }, STATE_WITHIN);
  } finally {
    await close();
  }
}

/** A server behind a proxy, trusted by a file that can be replaced while connections are cut. */
async function replaceable(secureUrl: string) {
  const { port } = new URL(secureUrl);
  const proxy = await TcpProxy.start('127.0.0.1', Number(port));
  const folder = await mkdtemp(join(tmpdir(), 'lockyard-trusted-'));
  const file = join(folder, 'ca.pem');
  await copyFile(authority.file, file);
  return {
    url: secureUrl.replace(port, String(proxy.port)),
    file,
    async distrust() {
      await copyFile(stranger.file, file);
      proxy.open();
    },
    async close() {
      await proxy.close();
      await rm(folder, { recursive: true });
    },
  };
}

const KINDS = {
  mysql: {
    secure: () => `${mysql.url.replace('mysql:', 'mysqls:')}/mysql`,
    plain: () => `${testMysqlUrl().replace('mysql:', 'mysqls:').replace(/\/*$/, '')}/mysql`,
  },
  redis: {
    secure: () => `rediss://127.0.0.1:${redisTlsPort}`,
    plain: () => redis.url.replace('redis:', 'rediss:'),
  },
  zookeeper: {
    secure: () => zookeeper.secureUrl,
    plain: () => zookeeper.url.replace('zookeeper:', 'zookeepers:'),
  },
};

describe.each(Object.entries(KINDS))('%s with TLS', (_, { secure, plain }) => {
  test('stores records if its certificate is signed by a configured authority', async () => {
    // A ZooKeeper that has just started may be slow with the first handshake.
    const store = await vi.waitFor(() => opened(secure(), authority.file), SOON);
    try {
      const key = freshKey();
      await vi.waitFor(() => created(store, key, { head: 'here' }), SOON);
      expect((await vi.waitFor(() => stored(store, key), SOON)).head).toBe('here');
      const { settings } = await vi.waitFor(() => store.guarantees(), SOON);
      expect(settings.length).toBeGreaterThan(0);
    } finally {
      await store.close();
    }
  });

  test.each([
    [
      'its certificate was signed by an authority that is not trusted',
      () => [secure()],
      /authority/,
    ],
    [
      'another authority is the only one that is trusted',
      () => [secure(), stranger.file],
      /authority/,
    ],
    [
      'its certificate is for another name',
      () => [secure().replace('127.0.0.1', 'localhost'), authority.file],
      /for another host name/,
    ],
    ['it speaks none', () => [plain(), authority.file], /does not speak TLS/],
  ] as const)('cannot be used where %s, in one clear line', async (_, args, why) => {
    const [url, file] = args();
    const line = await vi.waitFor(async () => {
      const said = await complaint(url as string, file);
      expect(said).toMatch(why);
      return said;
    }, SOON);
    expect(line).toMatch(/^[^\n]*cannot be (used|reached)[^\n]*$/);
    // A Redis without TLS waits for the end of the handshake, and so looks like one that is down.
    if (url === plain() && url.startsWith('rediss:')) return;
    expect(await stateOf(() => opened(url as string, file))).toMatch(why);
  });

  test('is no longer used without a trusted certificate, and the reason is reported', async () => {
    const { url, file, distrust, close } = await replaceable(secure());
    const state = stateOf(async () => {
      const store = await vi.waitFor(() => opened(url, file), SOON);
      await vi.waitFor(() => created(store, freshKey(), { head: 'here' }), SOON);
      await distrust();
      return store;
    });
    try {
      expect(await state).toMatch(/authority/);
    } finally {
      await close();
    }
  });
});

test('the settings of a MySQL that refuses connections without TLS are read over TLS', async () => {
  const admin = await createConnection(mysql.url);
  await admin.query("CREATE USER careful IDENTIFIED BY 'pw' REQUIRE SSL");
  await admin.query('GRANT ALL ON *.* TO careful');
  await admin.end();
  const url = new URL(KINDS.mysql.secure());
  [url.username, url.password] = ['careful', 'pw'];
  const store = await opened(url.href, authority.file);
  try {
    expect((await store.guarantees()).settings.length).toBeGreaterThan(0);
  } finally {
    await store.close();
  }
});

test('a control database is no longer used once its certificate is no longer trusted', async () => {
  const { url, file, distrust, close } = await replaceable(KINDS.mysql.secure());
  const { database } = readConfig({ LOCKYARD_DATABASE_URL: url, LOCKYARD_TLS_CA_DEFAULT: file });
  const control = await openDatabase(database);
  try {
    await distrust();
    const asked = () => control.raw.ask('SELECT 1', []).then(() => null, tlsFailure);
    await expect.poll(asked, SOON).toMatch(/authority/);
  } finally {
    await control.close();
    await close();
  }
});

test('an untrusted control database is refused with the name of its variable', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'lockyard-tls-'));
  const url = KINDS.mysql.secure();
  const config = readConfig({ LOCKYARD_DATA_DIR: dataDir, LOCKYARD_DATABASE_URL: url });
  const opening = openControlRuntime(config, createLog(), systemClock);
  await expect(opening).rejects.toThrow(/authority[^\n]*; LOCKYARD_TLS_CA_DEFAULT can name[^\n]*$/);
  await rm(dataDir, { recursive: true });
});

test('a control database with TLS is used with TLS', async () => {
  const { database } = readConfig({
    LOCKYARD_DATABASE_URL: KINDS.mysql.secure(),
    LOCKYARD_TLS_CA_DEFAULT: authority.file,
  });
  const opened = await openDatabase(database);
  try {
    const { rows } = await opened.raw.ask("SHOW STATUS LIKE 'Ssl_version'", []);
    expect(rows[0]?.[1]).toMatch(/^TLSv1\.[23]$/);
  } finally {
    await opened.close();
  }
});
