import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { createConnection } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { newTestLocation } from '@/db/testing/test-database';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import { createApiKey } from '@/server/operations/api-keys/create-api-key';
import { rotateApiKey } from '@/server/operations/api-keys/rotate-api-key';
import { examineInstallation } from '@/server/operations/installation/examine-installation';
import type { Finding } from '@/server/operations/installation/finding';
import { createUser } from '@/server/operations/users/create-user';
import { type Clock, systemClock } from '@/server/platform/clock';
import { TestAuthority } from '@/server/storage/conformance/testing/test-authority';
import { ApiHarness } from '@/test/api-harness';
import { DAY_MS, HOUR_MS } from '../../core/time-units';
import { startControlSocket } from '../control-socket';
import { printOf } from '../testing/print-of';
import { UsageError } from '../usage-error';
import { runDoctor } from './run-doctor';

let redis: Awaited<ReturnType<typeof startPrivateRedis>>;
let mysql: Awaited<ReturnType<typeof newTestLocation>>;
let api: ApiHarness;
let env: Record<string, string>;
const ends: (() => unknown)[] = [];

beforeAll(async () => {
  redis = await startPrivateRedis({ settings: ['--maxmemory-policy', 'allkeys-lru'] });
  mysql = await newTestLocation('mysql');
  api = await ApiHarness.start({
    LOCKYARD_BACKEND_CACHE: redis.url,
    LOCKYARD_BACKEND_ORDERS: mysql.url.kind === 'mysql' ? mysql.url.url : '',
    LOCKYARD_BACKEND_AWAY: 'redis://127.0.0.1:1',
  });
  const close = await startControlSocket(api.runtime);
  ends.push(close);
  env = {
    LOCKYARD_DATA_DIR: api.runtime.config.dataDir,
    LOCKYARD_API_KEY: await api.key('doctor'),
  };
});
afterAll(async () => {
  for (const end of ends.splice(0)) await end();
  await api.close();
  await redis.stop();
  await mysql.remove();
});

const proxies: Server[] = [];
afterEach(async () => {
  for (const proxy of proxies.splice(0)) {
    proxy.closeAllConnections();
    await new Promise((resolve) => proxy.close(resolve));
  }
});

/** In the finding about the MySQL of the tests, which loses commits in a crash. */
const NOT_FLUSHED = 'flush_log_at_trx';

/** The findings of the doctor, by subject. */
const examine = (variables: Record<string, string>, ...words: string[]) =>
  examineLater(0, variables, ...words);

/** The same with a clock that is ahead. */
async function examineLater(
  aheadMs: number,
  variables: Record<string, string>,
  ...words: string[]
) {
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  const all = [...words, '--json'];
  const clock = { ...systemClock, now: () => systemClock.now() + aheadMs };
  const exitCode = await runDoctor(all, { env: variables, clock, write });
  const { findings } = JSON.parse(text) as { findings: Finding[] };
  const about = (subject: string) => findings.filter((each) => each.subject.startsWith(subject));
  return { exitCode, findings, about };
}

/**
 * A proxy in front of the server.
 *
 * @param how `holdsBack`: it passes answers on when they have ended; `lateMs`: streams so long
 *   after they have begun
 */
async function startProxy({
  holdsBack = false,
  lateMs = 0,
  host,
}: {
  holdsBack?: boolean;
  lateMs?: number;
  host?: string;
}) {
  const target = new URL(api.url);
  const proxy = createServer((req, res) => {
    const headers = { ...req.headers, host: host ?? req.headers.host };
    const options = { port: target.port, path: req.url, method: req.method, headers };
    const onward = request(options, (answer) => {
      const chunks: Buffer[] = [];
      const begin = () => res.writeHead(answer.statusCode ?? 502, answer.headers);
      const delayMs = req.url?.endsWith('lock.watch') ? lateMs : 0;
      if (!holdsBack) setTimeout(() => answer.pipe(begin()), delayMs);
      else {
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => begin().end(Buffer.concat(chunks)));
      }
    });
    onward.on('error', () => res.destroy());
    res.on('close', () => onward.destroy());
    req.pipe(onward);
  });
  proxies.push(proxy);
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

test('a running server names each unsafe, weak or unavailable backend and what to do', async () => {
  // This process runs maintenance a moment after its start.
  await vi.waitFor(() => expect(api.runtime.historyLags()).not.toEqual([]), 30_000);
  const findings = () => examine(env, '--url', api.url);
  const areSettingsRead = async () =>
    (await findings()).about('backend orders').some(({ says }) => says.includes(NOT_FLUSHED));
  await expect.poll(areSettingsRead, { timeout: 30_000 }).toBe(true);
  const { exitCode, about } = await findings();
  expect(exitCode).toBe(2);
  const cache = about('backend cache');
  expect(cache).toContainEqual({
    subject: 'backend cache',
    level: 'warning',
    says: 'maxmemory-policy is allkeys-lru. Keys are evicted once it is given a limit.',
    advice: 'Set maxmemory-policy noeviction: see docs/backends.md#redis.',
  });
  expect(cache.find(({ level }) => level === 'problem')?.says).toContain('grants nothing');
  expect(about('backend away')).toMatchObject([
    { level: 'problem', advice: expect.stringContaining('Start its server') },
    { level: 'problem', says: expect.stringContaining('until its settings have been read') },
  ]);
  const orders = about('backend orders').find(({ says }) => says.includes(NOT_FLUSHED));
  expect(orders?.advice).toContain('Set innodb_flush_log_at_trx_commit = 1');
  // A busy machine may make a round trip so slow that the doctor says so.
  expect(about('backend default')).toMatchObject([
    { says: expect.stringMatching(/^SQLite responds|^a round trip takes/i) },
    { level: 'ok' },
  ]);
  expect(about('event recorder')).toHaveLength(1);
  expect(about('schema')).toMatchObject([{ level: 'ok' }]);
  expect(about(`address ${api.url}`).map(({ level }) => level)).toEqual(Array(3).fill('ok'));
});

test('a server is up since it was started: its process may have built it before', async () => {
  const clock = { ...systemClock, monotonic: () => api.runtime.startedAt + 90_500 };
  const ctx = { ...api.cli, runtime: { ...api.runtime, clock } };
  const [server] = await examineInstallation(ctx);
  expect(server?.says).toMatch(/^version \S+, up 1 min 30 s$/);
});

test('without an address it examines the one that the running server has', async () => {
  const elsewhere = await ApiHarness.start({ PORT: '1' });
  ends.push(() => elsewhere.close());
  ends.push(await startControlSocket(elsewhere.runtime));
  const { about } = await examine({ LOCKYARD_DATA_DIR: elsewhere.runtime.config.dataDir });
  expect(about('address').map(({ subject }) => subject)).toEqual(['address http://127.0.0.1:1']);
});

test('no admin, no backup and no receiver are warnings until there are some', async () => {
  const before = await examine(env, '--url', api.url);
  expect(before.about('users')).toMatchObject([{ level: 'warning' }]);
  expect(before.about('backups')).toMatchObject([
    { level: 'warning', says: 'none has been made yet' },
  ]);
  expect(before.about('alerts')).toMatchObject([{ level: 'warning' }]);
  await createUser(api.cli, { name: 'ana', role: 'admin', password: 'plough the seventh field' });
  const after = await examine(env, '--url', api.url);
  expect(after.about('users')).toMatchObject([{ level: 'ok', says: '1 admin' }]);
});

test('a backup dated a year ahead, as the clock was then, is not the last one', async () => {
  const ahead = { ...systemClock, now: () => systemClock.now() + 365 * DAY_MS };
  const makeBackup = async (clock: Clock) => {
    const runtime = { ...api.runtime, clock };
    const input = { file: 'lockyard.gz' };
    const intent = await printOf(runtime, { verb: 'backup begin', input });
    await printOf(runtime, { verb: 'backup end', input: { intent: intent ?? '' } });
  };
  await makeBackup(ahead);
  const before = await examine(env, '--url', api.url);
  expect(before.about('backups')).toMatchObject([{ level: 'warning' }]);
  await makeBackup(systemClock);
  const after = await examine(env, '--url', api.url);
  expect(after.about('backups')).toMatchObject([
    { level: 'ok', says: expect.stringMatching(/^the last one was made \d+ m?s ago$/) },
  ]);
});

test('a proxy that buffers answers or changes Host is a problem, another one is not', async () => {
  const holding = await startProxy({ holdsBack: true });
  const buffered = await examine(env, '--url', holding);
  expect(buffered.about('address').filter(({ level }) => level !== 'ok')).toMatchObject([
    { level: 'problem', says: expect.stringContaining('a proxy buffers') },
  ]);
  const renaming = await startProxy({ host: 'inside.example' });
  const renamed = await examine(env, '--url', renaming);
  expect(renamed.about('address').filter(({ level }) => level !== 'ok')).toMatchObject([
    { level: 'problem', says: expect.stringContaining('changes the Host header') },
  ]);
  const plain = await examine(env, '--url', await startProxy({}));
  expect(plain.about('address').filter(({ level }) => level !== 'ok')).toEqual([]);
});

test('a busy server with late streams is not mistaken for a proxy that buffers', async () => {
  const { about } = await examine(env, '--url', await startProxy({ lateMs: 2_500 }));
  const unbuffered = expect.stringContaining('streams arrive unbuffered');
  expect(about('address')).toContainEqual(expect.objectContaining({ says: unbuffered }));
});

/** A proxy with a certificate for localhost that is not trusted. */
async function startTls(protocols: string[]): Promise<number> {
  const authority = new TestAuthority();
  ends.push(() => authority.remove());
  const { key, cert } = authority.sign('DNS:localhost');
  const files = { key: readFileSync(key), cert: readFileSync(cert) };
  const proxy = createTlsServer({ ...files, ALPNProtocols: protocols }, (_, res) => res.end());
  proxies.push(proxy);
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  return (proxy.address() as AddressInfo).port;
}

test('a proxy that offers browsers no HTTP/2 is named, one that does is not', async () => {
  const warnings = async (protocols: string[]) => {
    const url = `https://localhost:${await startTls(protocols)}`;
    const { about } = await examine(env, '--url', url);
    return about('address').filter(({ says }) => says.includes('HTTP/2'));
  };
  expect(await warnings(['http/1.1'])).toMatchObject([{ level: 'warning' }]);
  expect(await warnings(['h2', 'http/1.1'])).toEqual([]);
});

test('an expired, soon expiring, wrongly named or untrusted certificate is reported', async () => {
  const port = await startTls(['h2', 'http/1.1']);
  const says = async (host: string, aheadMs = 0) => {
    const found = await examineLater(aheadMs, env, '--url', `https://${host}:${port}`);
    return found.about('address').map(({ level, says: text }) => `${level}: ${text}`);
  };
  const untrusted = expect.stringMatching(/^problem: its certificate is not trusted .+UNABLE/);
  const soon = expect.stringMatching(/^warning: its certificate expires in 1 d/);
  expect(await says('localhost')).toEqual([soon, untrusted]);
  expect(await says('127.0.0.1')).toEqual([
    'problem: its certificate is for another host name than 127.0.0.1',
    soon,
    untrusted,
  ]);
  const ended = expect.stringMatching(/^problem: its certificate expired .+ ago/);
  expect(await says('localhost', 3 * DAY_MS)).toEqual([ended, untrusted]);
});

test('a key that expires soon or has expired in use is named, a rotated one is not', async () => {
  const make = (name: string) =>
    createApiKey(api.cli, { name, namespaces: ['default'], expiresInMs: 3 * DAY_MS });
  const [soon, ended] = [await make('soon'), await make('ended')];
  const { database, clock } = api.runtime;
  const { apiKeys } = database.tables;
  const past = { lastUsedAt: clock.now() - 2 * HOUR_MS, expiresAt: clock.now() - HOUR_MS };
  // As it is a minute after it has expired.
  const revoked = { ...past, revokedAt: past.expiresAt };
  for (const change of [past, revoked]) {
    await database.db.update(apiKeys).set(change).where(eq(apiKeys.id, ended.id));
    const { about } = await examine(env, '--url', api.url);
    expect(about('API key ended')).toMatchObject([
      { level: 'problem', says: expect.stringMatching(/^expired 1 h.* ago, and was in use$/) },
    ]);
    expect(about('API key soon')).toMatchObject([
      { level: 'warning', says: expect.stringMatching(/^expires in 2 d/) },
    ]);
  }
  await rotateApiKey(api.cli, { id: soon.id, graceMs: HOUR_MS });
  const { about } = await examine(env, '--url', api.url);
  // The one that took its place, for the same time.
  expect(about('API key soon')).toMatchObject([{ says: expect.stringMatching(/^expires in 2 d/) }]);
});

test('a wrong key, an address without a server, and an invalid address are problems', async () => {
  const variables = { ...env, LOCKYARD_API_KEY: 'wrong' };
  const found = await examine(variables, '--url', `${api.url},http://127.0.0.1:1,locks`);
  expect(found.about('address').filter(({ level }) => level === 'problem')).toMatchObject([
    { says: 'refuses the API key in LOCKYARD_API_KEY' },
    { says: expect.stringContaining('no answer') },
    { says: '"locks" is no http(s) address' },
  ]);
});

test('an https: address without TLS is reported as such', async () => {
  const url = api.url.replace('http:', 'https:');
  const { about } = await examine(env, '--url', url);
  expect(about(`address ${url}`)).toMatchObject([
    { level: 'problem', says: 'no answer: no TLS is spoken there' },
  ]);
});

test('a key for other namespaces is accepted, and its namespaces are named', async () => {
  await api.namespace('doctor-only');
  const key = await api.key('elsewhere', ['doctor-only']);
  const { about } = await examine({ ...env, LOCKYARD_API_KEY: key }, '--url', api.url);
  expect(about('address')).toContainEqual(
    expect.objectContaining({
      level: 'ok',
      says: expect.stringContaining('is for namespace "doctor-only", not for "default"'),
    }),
  );
});

test('without a server it examines machine, schema and stores, and creates nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lockyard-doctor-'));
  try {
    const variables = { LOCKYARD_DATA_DIR: folder, LOCKYARD_BACKEND_CACHE: redis.url };
    const found = await examine({ ...variables, LOCKYARD_BACKEND_AWAY: 'redis://127.0.0.1:1' });
    expect(found.exitCode).toBe(2);
    expect(found.about('server')[0]?.says).toContain('none runs');
    expect(found.about('schema')[0]?.says).toContain('no control database');
    expect(found.about('backend away')[0]?.says).toContain('cannot be reached');
    expect(found.about('backend cache').map(({ level }) => level)).toContain('warning');
    const none = { LOCKYARD_DATA_DIR: join(folder, 'none') };
    const file = join(folder, 'database-url');
    writeFileSync(file, `sqlite:${join(folder, 'other.db')}`);
    const elsewhere = await examine({ ...none, LOCKYARD_DATABASE_URL_FILE: file });
    expect(elsewhere.about('schema')[0]?.says).toContain(join(folder, 'other.db'));
    const nothing = await examine(none);
    expect(nothing.findings).toMatchObject([{ subject: 'installation', level: 'problem' }]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('without a server a shard may be unsafe where that is allowed for its backend', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lockyard-doctor-'));
  const shards = [await newTestLocation('mysql'), await newTestLocation('mysql')];
  try {
    const [unsafe = '', other = ''] = shards.map(({ url }) =>
      url.kind === 'mysql' ? url.url : '',
    );
    const connection = await createConnection({ uri: unsafe });
    await connection.query('CREATE TABLE lock_requests (id INT) ENGINE = Aria');
    await connection.end();
    const variables = { LOCKYARD_DATA_DIR: folder, LOCKYARD_BACKEND_PARTS: `${unsafe},${other}` };
    const refused = /^a server would grant nothing here/;
    const problems = async (more: Record<string, string>) => {
      const found = (await examine({ ...variables, ...more })).about('backend parts');
      expect(found.map(({ says }) => says).join()).toContain('not kept by InnoDB');
      return found.filter(({ level, says }) => level === 'problem' && refused.test(says));
    };
    expect(await problems({})).toHaveLength(1);
    expect(await problems({ LOCKYARD_ALLOW_UNSAFE: 'parts' })).toEqual([]);
  } finally {
    for (const shard of shards) await shard.remove();
    rmSync(folder, { recursive: true });
  }
});

test('without a data folder it warns that only the address was examined', async () => {
  const nowhere = { ...env, LOCKYARD_DATA_DIR: join(tmpdir(), 'lockyard-doctor-nowhere') };
  const found = await examine(nowhere, '--url', api.url);
  expect(found.about('installation')).toMatchObject([
    { level: 'warning', says: expect.stringContaining('only the address was examined') },
  ]);
});

test('invalid variables are a finding, and invalid arguments a usage error', async () => {
  const { findings } = await examine({ LOCKYARD_PROT: '1' });
  expect(findings).toMatchObject([{ subject: 'configuration', level: 'problem' }]);
  await expect(examine(env, '--fix')).rejects.toThrow(UsageError);
});

test('the text output has a line for each finding, worst first, and the counts', async () => {
  let text = '';
  const write = (more: string) => {
    text += more;
  };
  await runDoctor(['--url', api.url], { env, clock: systemClock, write });
  const lines = text.trimEnd().split('\n');
  expect(lines[0]).toMatch(/^PROBLEM .+: .+ -> .+\.$/);
  expect(lines.at(-1)).toMatch(/^(1 problem|\d+ problems), (1 warning|\d+ warnings), \d+ passed$/);
});
