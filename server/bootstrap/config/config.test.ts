import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { DEFAULT_RETENTION } from '../../core/retention';
import { DAY_MS } from '../../core/time-units';
import { NetworkList } from '../../platform/network-list';
import { ConfigError } from '../../platform/start-error';
import { TestAuthority } from '../../storage/conformance/testing/test-authority';
import { pageProcessEnv, readConfig } from './config';

test('an empty environment gives a server on loopback with SQLite in the data folder', () => {
  expect(readConfig({})).toEqual({
    port: 3000,
    host: '127.0.0.1',
    dataDir: resolve('.lockyard'),
    database: { kind: 'sqlite', path: resolve('.lockyard/lockyard.db') },
    backends: [],
    gates: [],
    witnesses: [],
    receivers: [],
    publicUrl: null,
    traceUrl: null,
    allowUnsafe: [],
    secret: null,
    metricsToken: null,
    trustedProxies: NetworkList.parse('127.0.0.0/8,::1'),
    limits: {
      callsPerSecond: 50_000,
      waitsPerKey: 1_000,
      watchesPerKey: 1_000,
      connections: 4_000,
      refusalsSeconds: 60,
    },
    retention: DEFAULT_RETENTION,
    lab: { servers: {}, onBackends: false },
    demo: false,
  });
});

test('an empty variable is an unset one', () => {
  const names = [
    'PORT',
    'HOST',
    'LOCKYARD_DATABASE_URL',
    'LOCKYARD_DATA_DIR',
    'LOCKYARD_SECRET',
    'LOCKYARD_ALLOW_UNSAFE',
    'LOCKYARD_METRICS_TOKEN',
    'LOCKYARD_TRUSTED_PROXIES',
    'LOCKYARD_CALLS_PER_SECOND',
  ];
  const env = Object.fromEntries([...names, 'LOCKYARD_DEMO'].map((name) => [name, '']));
  expect(readConfig(env)).toEqual(readConfig({}));
});

test('everything can be set', () => {
  const config = readConfig({
    PORT: '0',
    HOST: '::',
    LOCKYARD_DATABASE_URL: 'mysql://ana:p%40ss@db.internal:3307/lock%20yard',
    LOCKYARD_DATA_DIR: '/var/lib/lockyard',
    LOCKYARD_BACKEND_ORDERS: 'sqlite:./orders.db',
    LOCKYARD_BACKEND_EU_1: 'mariadb://root@127.0.0.1/eu',
    LOCKYARD_GATE_CACHE: 'redis://cache.internal/2',
    LOCKYARD_WITNESS_K8S: 'https://ana:p%40ss@pods.internal/alive?pod={pod}',
    LOCKYARD_WEBHOOK_CHAT: 'slack+https://chat.internal/services/a',
    LOCKYARD_PUBLIC_URL: 'https://locks.internal',
    LOCKYARD_TRACE_URL: 'https://tempo.internal/trace/{traceId}?span={spanId}',
    LOCKYARD_SECRET: 'Zk3vN1xq8TtY5mRw0LpC7dHs2BfJ9gUe',
    LOCKYARD_ALLOW_UNSAFE: 'orders, default,',
    LOCKYARD_METRICS_TOKEN: 'Xo7-of-the-scraper',
    LOCKYARD_TRUSTED_PROXIES: '10.0.0.0/8, fd00::1',
    LOCKYARD_CALLS_PER_SECOND: '1000000000',
    LOCKYARD_WAITS_PER_KEY: '50',
    LOCKYARD_WATCHES_PER_KEY: '60',
    LOCKYARD_CONNECTIONS: '20000',
    LOCKYARD_REFUSALS_SECONDS: '0',
    LOCKYARD_HISTORY_DAYS: '90',
    LOCKYARD_MINUTES_DAYS: '400',
    LOCKYARD_AUDIT_DAYS: '3650',
    LOCKYARD_LAB_MYSQL_URL: 'mysql://lab:p%40ss@lab.internal/ignored',
    LOCKYARD_LAB_REDIS_URL: 'redis://a, redis://:p,w@b:6380,rediss://c',
    LOCKYARD_LAB_ZOOKEEPER_URL: 'zookeeper://zk1,zk2',
    LOCKYARD_LAB_ON_BACKENDS: 'yes',
    LOCKYARD_URL: 'http://127.0.0.1:3000',
    LOCKYARD_API_KEY: 'for the client',
  });
  expect(config).toEqual({
    port: 0,
    host: '::',
    dataDir: '/var/lib/lockyard',
    database: { kind: 'mysql', url: 'mysql://ana:p%40ss@db.internal:3307/lock%20yard' },
    backends: [
      { id: 'eu_1', url: { kind: 'mysql', url: 'mysql://root@127.0.0.1/eu' } },
      { id: 'orders', url: { kind: 'sqlite', path: resolve('orders.db') } },
    ],
    gates: [{ id: 'cache', url: 'redis://cache.internal/2' }],
    witnesses: [
      {
        id: 'k8s',
        template: 'https://pods.internal/alive?pod={pod}',
        authorization: `Basic ${Buffer.from('ana:p@ss').toString('base64')}`,
      },
    ],
    receivers: [
      {
        id: 'chat',
        format: 'slack',
        url: 'https://chat.internal/services/a',
        authorization: null,
        key: null,
      },
    ],
    publicUrl: 'https://locks.internal',
    traceUrl: 'https://tempo.internal/trace/{traceId}?span={spanId}',
    secret: 'Zk3vN1xq8TtY5mRw0LpC7dHs2BfJ9gUe',
    limits: {
      callsPerSecond: 1_000_000_000,
      waitsPerKey: 50,
      watchesPerKey: 60,
      connections: 20_000,
      refusalsSeconds: 0,
    },
    retention: { historyMs: 90 * DAY_MS, minutesMs: 400 * DAY_MS, auditMs: 3_650 * DAY_MS },
    allowUnsafe: ['orders', 'default'],
    metricsToken: 'Xo7-of-the-scraper',
    trustedProxies: NetworkList.parse('10.0.0.0/8,fd00::1'),
    lab: {
      servers: {
        mysql: 'mysql://lab:p%40ss@lab.internal',
        redis: ['redis://a', 'redis://:p,w@b:6380', 'rediss://c'],
        zookeeper: 'zookeeper://zk1,zk2',
      },
      onBackends: true,
    },
    demo: false,
  });
});

test('the demo uses a data directory of its own', () => {
  const { demo, dataDir } = readConfig({ LOCKYARD_DEMO: '1' });
  expect({ demo, dataDir }).toEqual({ demo: true, dataDir: resolve('.lockyard-demo') });
});

describe('every mistake is one line that names the variable', () => {
  const mysql = 'mysql://root@h/one';
  test.each([
    [{ LOCKYARD_DATABSE_URL: 'sqlite:x.db' }, 'Did you mean LOCKYARD_DATABASE_URL?'],
    [{ LOCKYARD_SECRTE: 'x' }, 'Did you mean LOCKYARD_SECRET?'],
    [{ LOCKYARD_BACKENDS_ORDERS: 'sqlite:x.db' }, 'Did you mean LOCKYARD_BACKEND_<ID>?'],
    [{ LOCKYARD_BACKEND_: 'sqlite:x.db' }, 'Did you mean LOCKYARD_BACKEND_<ID>?'],
    [{ LOCKYARD_BACKEND: 'sqlite:x.db' }, 'Did you mean LOCKYARD_BACKEND_<ID>?'],
    [{ LOCKYARD_GATE: 'redis://h' }, 'Did you mean LOCKYARD_GATE_<ID>?'],
    [{ LOCKYARD_WITNESS: 'http://h/{pod}' }, 'Did you mean LOCKYARD_WITNESS_<ID>?'],
    [
      { LOCKYARD_TRACE_URL: 'https://tempo/traces' },
      'LOCKYARD_TRACE_URL must be a URL with {traceId} in it',
    ],
    [
      { LOCKYARD_TRACE_URL: 'https://tempo/{traceID}' },
      'LOCKYARD_TRACE_URL: {traceID} must be one of {traceId}, {spanId}',
    ],
    [
      { LOCKYARD_TRACE_URL: 'javascript:alert({traceId})' },
      'LOCKYARD_TRACE_URL must be a URL that begins with http',
    ],
    [
      { LOCKYARD_TRACE_URL: 'https://{traceId}.tempo/' },
      'LOCKYARD_TRACE_URL: placeholders must be in the path or the query only',
    ],
    [
      { LOCKYARD_TRACE_URL: 'https://ana:secret@tempo/{traceId}' },
      'LOCKYARD_TRACE_URL must not have a user or a password',
    ],
    [
      { LOCKYARD_GATE_A: 'mysql://root@h/one' },
      'LOCKYARD_GATE_A must be a URL that begins with redis:',
    ],
    [{ LOCKYARD_GATE_A: '' }, 'LOCKYARD_GATE_A must be a URL that begins with redis:'],
    [{ 'LOCKYARD_GATE_A-B': 'redis://h' }, "a gate's id must be 1 to 32 of A-Z 0-9 _."],
    [
      { LOCKYARD_BACKEND_B: 'redis://h/1', LOCKYARD_GATE_A: 'redis://H:6379/1' },
      'LOCKYARD_GATE_A must not name the same store as LOCKYARD_BACKEND_B.',
    ],
    [
      { LOCKYARD_HISTORY_DAYS: '0' },
      'LOCKYARD_HISTORY_DAYS must be a whole number of days from 1 to 3650, not "0".',
    ],
    [{ LOCKYARD_HISTORY_DAYS: '30d' }, 'LOCKYARD_HISTORY_DAYS must be a whole number of days'],
    [{ LOCKYARD_MINUTES_DAYS: '3651' }, 'LOCKYARD_MINUTES_DAYS must be a whole number of days'],
    [{ LOCKYARD_AUDIT_DAYS: '-1' }, 'LOCKYARD_AUDIT_DAYS must be a whole number of days'],
    [
      { LOCKYARD_MINUTES_DAYS: '29' },
      'LOCKYARD_MINUTES_DAYS must be at least LOCKYARD_HISTORY_DAYS, which is 30.',
    ],
    [{ LOCKYARD_PORT: '4000' }, 'Did you mean PORT?'],
    [{ LOCKYARD_HOST: '::' }, 'Did you mean HOST?'],
    [{ PORT: 'http' }, 'PORT must be a whole number from 0 to 65535, not "http".'],
    [{ PORT: '65536' }, 'PORT must be'],
    [{ PORT: '-1' }, 'PORT must be'],
    [{ PORT: '80.5' }, 'PORT must be'],
    [{ PORT: '0x50' }, 'PORT must be'],
    [{ PORT: ' 80' }, 'PORT must be'],
    [{ HOST: 'http://x' }, 'HOST must be a host name or an address'],
    [{ LOCKYARD_DATABASE_URL: 'postgres://x/y' }, 'LOCKYARD_DATABASE_URL must begin with sqlite:'],
    [{ LOCKYARD_DATABASE_URL: 'postgres://x/y' }, 'sqlite:, mysql: or mysqls:, because'],
    [{ LOCKYARD_DATABASE_URL: 'zookeeper:x' }, 'sqlite:, mysql: or mysqls:, because'],
    [{ LOCKYARD_DATABASE_URL: './lockyard.db' }, 'LOCKYARD_DATABASE_URL must begin with sqlite:'],
    [{ LOCKYARD_DATABASE_URL: 'sqlite:' }, 'must name a file'],
    [{ LOCKYARD_DATABASE_URL: 'sqlite:data/' }, 'must name a file'],
    [{ LOCKYARD_DATABASE_URL: 'sqlite::memory:' }, 'must name a plain file'],
    [{ LOCKYARD_DATABASE_URL: 'sqlite://host/x.db' }, 'must name a file on this machine'],
    [{ LOCKYARD_DATABASE_URL: 'sqlite:x.db?mode=ro' }, 'must name a plain file'],
    [{ LOCKYARD_DATABASE_URL: 'mysql://root@host' }, 'must name one database'],
    [{ LOCKYARD_DATABASE_URL: 'mysql://root@host/a/b' }, 'must name one database'],
    [{ LOCKYARD_DATABASE_URL: 'mysql:///lockyard' }, 'must name a host'],
    [{ LOCKYARD_DATABASE_URL: 'mysql://root@host:99999/x' }, 'is not a URL'],
    [{ LOCKYARD_DATABASE_URL: 'mysql://h/x?authPlugins=1' }, 'must not carry options'],
    [{ LOCKYARD_DATABASE_URL: 'mysql://ana:100%sure@h/x' }, 'LOCKYARD_DATABASE_URL has a % that'],
    [{ LOCKYARD_DATABASE_URL: 'mysql://h/100%' }, 'LOCKYARD_DATABASE_URL has a % that'],
    [{ LOCKYARD_BACKEND_A: 'redis://:100%@h' }, 'LOCKYARD_BACKEND_A has a % that'],
    [{ LOCKYARD_BACKEND_A: 'mysql://h/a,mysql://a%zz@h/b' }, 'has a % that'],
    [{ LOCKYARD_BACKEND_ORDERS: '' }, 'LOCKYARD_BACKEND_ORDERS is empty; it must begin with'],
    [
      { LOCKYARD_BACKEND_ORDERS: 'valkey://h' },
      'LOCKYARD_BACKEND_ORDERS must begin with sqlite:, mysql:, mysqls:, redis:, rediss:, ' +
        'zookeeper: or zookeepers:, such as',
    ],
    [{ LOCKYARD_BACKEND_ORDERS: 'redis://h/locks' }, 'must name a database by its number'],
    [{ LOCKYARD_BACKEND_ORDERS: 'redis://h?tls=0' }, 'must not carry options'],
    [{ LOCKYARD_BACKEND_A: 'redis://h', LOCKYARD_BACKEND_B: 'rediss://h:6379/0' }, 'same store'],
    [{ LOCKYARD_LAB_MYSQL_URL: 'redis://h' }, 'LOCKYARD_LAB_MYSQL_URL must begin with mysql:'],
    [{ LOCKYARD_LAB_MYSQL_URL: 'mysql://' }, 'LOCKYARD_LAB_MYSQL_URL must name a host'],
    [{ LOCKYARD_LAB_REDIS_URL: 'redis://a,mysql://b/x' }, 'LOCKYARD_LAB_REDIS_URL must begin'],
    [{ LOCKYARD_LAB_REDIS_URL: Array(6).fill('redis://h').join() }, 'must name at most 5 servers'],
    [{ LOCKYARD_LAB_ZOOKEEPER_URL: 'zookeepers://h' }, 'must begin with zookeeper:'],
    [{ LOCKYARD_LAB_ON_BACKENDS: '1' }, 'LOCKYARD_LAB_ON_BACKENDS must be yes or unset, not "1".'],
    [{ LOCKYARD_LAB_REDIS: 'redis://h' }, 'Did you mean LOCKYARD_LAB_REDIS_URL?'],
    [{ LOCKYARD_DATABASE_URL: 'redis://h' }, 'because the control database keeps tables'],
    [{ LOCKYARD_BACKEND_DEFAULT: mysql }, 'LOCKYARD_BACKEND_DEFAULT must not be set'],
    [{ LOCKYARD_BACKEND_default: mysql }, 'must not be set'],
    [{ 'LOCKYARD_BACKEND_A-B': mysql }, 'must be 1 to 32 of A-Z 0-9 _'],
    [{ LOCKYARD_BACKEND_A: mysql, LOCKYARD_BACKEND_a: 'mysql://h/2' }, 'is named twice'],
    [{ LOCKYARD_BACKEND_A: mysql, LOCKYARD_BACKEND_B: 'mysql://x:y@h:3306/one' }, 'same store'],
    [{ LOCKYARD_DATABASE_URL: mysql, LOCKYARD_BACKEND_A: mysql }, 'the control database'],
    [{ LOCKYARD_SECRET: 'short' }, 'LOCKYARD_SECRET must have at least 32 characters; it has 5.'],
    [{ LOCKYARD_SECRET: 'abc'.repeat(12) }, 'LOCKYARD_SECRET is too easy to guess'],
    [{ LOCKYARD_ALLOW_UNSAFE: 'defautl' }, 'Did you mean default?'],
    [
      { LOCKYARD_BACKEND_A: mysql, LOCKYARD_ALLOW_UNSAFE: 'a,A' },
      'names "A", which is not a configured backend',
    ],
    [{ LOCKYARD_METRICS_TOKEN: 'too short' }, 'LOCKYARD_METRICS_TOKEN must have at least 16'],
    [{ LOCKYARD_METRICS_TOKEN: 'with some spaces in it' }, 'without spaces'],
    [
      { LOCKYARD_CALLS_PER_SECOND: '1e3' },
      'LOCKYARD_CALLS_PER_SECOND must be a whole number from 1 to 1000000000, not "1e3".',
    ],
    [{ LOCKYARD_WAITS_PER_KEY: '0' }, 'LOCKYARD_WAITS_PER_KEY must be a whole number from 1'],
    [{ LOCKYARD_CONNECTIONS: '-5' }, 'LOCKYARD_CONNECTIONS must be a whole number from 10'],
    [{ LOCKYARD_TRUSTED_PROXIES: 'nginx' }, 'names "nginx", which is neither an address nor'],
    [{ LOCKYARD_TRUSTED_PROXIES: '10.0.0.0/33' }, 'names "10.0.0.0/33", which is neither'],
    [{ LOCKYARD_TRUSTED_PROXIES: ' , ' }, 'LOCKYARD_TRUSTED_PROXIES must name an address or'],
    [{ LOCKYARD_DEMO: 'yes' }, 'LOCKYARD_DEMO must be 1 or unset'],
    [{ LOCKYARD_DEMO: '1', LOCKYARD_DATABASE_URL: mysql }, 'must not be set for the demo'],
    [{ LOCKYARD_DATA_DIR: 'a\0b' }, 'LOCKYARD_DATA_DIR'],
    [{ LOCKYARD_DATA_DIR: ' ' }, 'LOCKYARD_DATA_DIR must name a folder.'],
  ])('%j', (env: Record<string, string>, part) => {
    const reading = () => readConfig(env);
    expect(reading).toThrow(ConfigError);
    expect(reading).toThrow(part);
    expect(reading).toThrow(/^[^\n]*(PORT|HOST|LOCKYARD_)[^\n]*$/);
  });
});

test('the process that renders pages gets no secret', () => {
  const env = pageProcessEnv({
    PATH: '/bin',
    LOCKYARD_SECRET: 'hidden',
    LOCKYARD_DATABASE_URL: 'mysql://ana:hidden@h/x',
    LOCKYARD_BACKEND_ORDERS: 'redis://:hidden@h',
    LOCKYARD_METRICS_TOKEN_FILE: '/hidden',
  });
  expect(env).toMatchObject({ PATH: '/bin', NODE_ENV: 'production' });
  expect(JSON.stringify(env)).not.toContain('hidden');
});

test.each([
  ['LOCKYARD_LOG_FORMAT', 'TEXT', 'json, text'],
  ['LOCKYARD_LOG_LEVEL', 'trace', 'debug, info, warn, error'],
])('%s refuses an unknown value in one line that names the known ones', (name, value, known) => {
  expect(() => readConfig({ [name]: value })).toThrow(
    new ConfigError(`${name} must be one of ${known}, not "${value}".`),
  );
});

test('no message shows a password or a secret', () => {
  const mistakes = [
    { LOCKYARD_DATABASE_URL: 'mysql://ana:hidden@h:99999/x' },
    { LOCKYARD_DATABASE_URL: 'mysql://ana:hidden@h/x?y' },
    { LOCKYARD_DATABASE_URL: 'postgres://ana:hidden@h/x' },
    { LOCKYARD_SECRET: 'hidden' },
    { LOCKYARD_METRICS_TOKEN: 'hidden' },
  ];
  for (const env of mistakes) expect(() => readConfig(env)).toThrow(/^((?!hidden).)*$/);
});

describe('a secret in a file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'lockyard-secrets-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const fileOf = (text: string) => {
    const file = join(folder, randomUUID());
    writeFileSync(file, text);
    return file;
  };
  /** A named pipe that nothing writes to. */
  const pipe = () => {
    const path = join(folder, randomUUID());
    execFileSync('mkfifo', [path]);
    return path;
  };
  const SECRET = 'Zk3vN1xq8TtY5mRw0LpC7dHs2BfJ9gUe';

  test('is read, without the line break at its end', () => {
    const config = readConfig({
      LOCKYARD_DATABASE_URL_FILE: fileOf('mysql://ana:p@db/lockyard\n'),
      LOCKYARD_BACKEND_ORDERS_FILE: fileOf('redis://:p@cache/0\r\n'),
      LOCKYARD_BACKEND_orders_EU_file: fileOf('mysql://a/x,mysql://b/y'),
      LOCKYARD_SECRET_FILE: fileOf(`${SECRET}\n`),
      LOCKYARD_METRICS_TOKEN_FILE: fileOf('Xo7-of-the-scraper'),
      LOCKYARD_API_KEY_FILE: '/only/the/client/reads/it',
    });
    expect(config).toMatchObject({
      database: { kind: 'mysql', url: 'mysql://ana:p@db/lockyard' },
      backends: [
        { id: 'orders', url: { kind: 'redis', url: 'redis://:p@cache/0' } },
        { id: 'orders_eu', shards: { shards: [{ name: 'a:3306/x' }, { name: 'b:3306/y' }] } },
      ],
      secret: SECRET,
      metricsToken: 'Xo7-of-the-scraper',
    });
  });

  test('keeps the variable without _FILE if no file is named', () => {
    const env = { LOCKYARD_SECRET: SECRET, LOCKYARD_SECRET_FILE: '' };
    expect(readConfig(env).secret).toBe(SECRET);
  });

  test.each([
    [{ LOCKYARD_SECRET: SECRET, LOCKYARD_SECRET_FILE: fileOf(SECRET) }, 'are both set'],
    [
      { LOCKYARD_BACKEND_A: 'redis://h', LOCKYARD_BACKEND_A_FILE: fileOf('redis://h') },
      'LOCKYARD_BACKEND_A and LOCKYARD_BACKEND_A_FILE are both set',
    ],
    [{ LOCKYARD_SECRET_FILE: '/not/there' }, 'cannot be read (no such file): /not/there'],
    [{ LOCKYARD_SECRET_FILE: folder }, 'cannot be read (not a regular file)'],
    [{ LOCKYARD_SECRET_FILE: pipe() }, 'cannot be read (not a regular file)'],
    [{ LOCKYARD_BACKEND_A_FILE: pipe() }, 'LOCKYARD_BACKEND_A_FILE names a file that cannot'],
    [{ LOCKYARD_SECRET_FILE: '/dev/zero' }, 'cannot be read (not a regular file): /dev/zero'],
    [{ LOCKYARD_METRICS_TOKEN_FILE: '/a\nb' }, 'LOCKYARD_METRICS_TOKEN_FILE names a file'],
    [{ LOCKYARD_DATABASE_URL_FILE: fileOf('\n') }, 'names a file that is empty'],
    [{ LOCKYARD_SECRET_FILE: fileOf('hidden') }, 'LOCKYARD_SECRET must have at least 32'],
    [{ LOCKYARD_BACKEND_A_FILE: 'redis://:hidden@h' }, 'may not end in _file'],
    [{ LOCKYARD_BACKEND_FILE: 'mysql://:hidden@' }, 'LOCKYARD_BACKEND_FILE'],
    [{ LOCKYARD_METRIC_TOKEN_FILE: '/x' }, 'Did you mean LOCKYARD_METRICS_TOKEN_FILE?'],
    [{ LOCKYARD_DEMO: '1', LOCKYARD_DATABASE_URL_FILE: fileOf('mysql://h/x') }, 'for the demo'],
  ])('that is wrong is one line that names the variable: %j', (env, part) => {
    expect(() => readConfig(env)).toThrow(part);
    expect(() => readConfig(env)).toThrow(/^((?!hidden)[^\n])*LOCKYARD_((?!hidden)[^\n])*$/);
  });
});

describe('TLS to a backend', () => {
  const authority = new TestAuthority();
  afterAll(() => authority.remove());
  const { file } = authority;

  test('is selected by the scheme, with the authority of its certificates named separately', () => {
    const { database, backends } = readConfig({
      LOCKYARD_DATABASE_URL: 'mysqls://ana:p@db/lockyard',
      LOCKYARD_TLS_CA_DEFAULT: file,
      LOCKYARD_BACKEND_A: 'mariadbs://b/x,mysqls://c/y,leaving:mysqls://d/z',
      LOCKYARD_TLS_CA_A: file,
      LOCKYARD_BACKEND_B: 'rediss://cache',
      LOCKYARD_TLS_CA_b: file,
      LOCKYARD_BACKEND_C: 'zookeepers://z1:2281,z2:2281/locks',
      LOCKYARD_TLS_CA_C: file,
      LOCKYARD_BACKEND_D: 'rediss://other',
      LOCKYARD_TLS_CA_D: '',
    });
    const named = `#${encodeURIComponent(file)}`;
    expect(database).toEqual({ kind: 'mysql', url: `mysqls://ana:p@db/lockyard${named}` });
    expect(backends).toMatchObject([
      {
        shards: {
          shards: [
            { name: 'b:3306/x', url: `mysqls://b/x${named}` },
            { name: 'c:3306/y', url: `mysqls://c/y${named}` },
          ],
          leaving: [{ name: 'd:3306/z', url: `mysqls://d/z${named}` }],
        },
      },
      { url: { kind: 'redis', url: `rediss://cache${named}` } },
      { url: { kind: 'zookeeper', tls: { authorityFile: file } } },
      { url: { kind: 'redis', url: 'rediss://other' } },
    ]);
  });

  test.each([
    [{ LOCKYARD_TLS_CA_DEFAULT: file, LOCKYARD_TLS_CA_default: file }, 'is named twice'],
    [{ LOCKYARD_TLS_CA_ORDERS: file }, 'Did you mean LOCKYARD_TLS_CA_DEFAULT?'],
    [{ LOCKYARD_TLS_CA_DEFAULT: file }, 'is not reached with TLS'],
    [
      { LOCKYARD_BACKEND_A: 'mysqls://a/x,mysql://b/y', LOCKYARD_TLS_CA_A: file },
      'LOCKYARD_TLS_CA_A is set, but its backend is not reached with TLS',
    ],
    [{ LOCKYARD_BACKEND_A: 'redis://a', LOCKYARD_TLS_CA_A: file }, 'must begin with mysqls:'],
    [{ LOCKYARD_BACKEND_A: 'rediss://a', LOCKYARD_TLS_CA_A: '/not/there' }, '(no such file)'],
    [
      { LOCKYARD_BACKEND_A: 'rediss://a', LOCKYARD_TLS_CA_A: import.meta.filename },
      'a certificate in PEM',
    ],
    [{ LOCKYARD_TLS_CA_: file }, 'Unknown variable'],
    [{ LOCKYARD_BACKEND_A: 'zookeepers://a?x' }, 'must not carry options'],
  ])('that is set up wrongly is one line: %j', (env: Record<string, string>, part) => {
    expect(() => readConfig(env)).toThrow(part);
    expect(() => readConfig(env)).toThrow(/^[^\n]*LOCKYARD_[^\n]*$/);
  });
});

describe('shards', () => {
  const listed = (text: string) =>
    readConfig({ LOCKYARD_BACKEND_ORDERS: text }).backends[0]?.shards;
  const names = (shards: { name: string }[] = []) => shards.map(({ name }) => name);

  test('are MySQL databases with commas between them, the same in any order', () => {
    const one = listed('mysql://u:p@a/x,mysql://b:3307/y');
    const other = listed(' mariadb://v:q@b:3307/y , mysql://A/x');
    expect(names(one?.shards)).toEqual(['a:3306/x', 'b:3307/y']);
    expect(names(other?.shards)).toEqual(names(one?.shards));
    expect(other?.fingerprint).toBe(one?.fingerprint);
    expect(other?.shards.map(({ id }) => id)).toEqual(one?.shards.map(({ id }) => id));
    expect(one?.shards[0]?.id).toMatch(/^orders\.[0-9a-f]{6}$/);
    expect(listed('mysql://a/x,mysql://b/y')?.fingerprint).not.toBe(one?.fingerprint);
  });

  test('that leave own no names', () => {
    const list = listed('mysql://a/x,leaving:mysql://c/z,mysql://b:3307/y');
    expect(names(list?.shards)).toEqual(['a:3306/x', 'b:3307/y']);
    expect(names(list?.leaving)).toEqual(['c:3306/z']);
    expect(list?.fingerprint).toBe(listed('mysql://a/x,mysql://b:3307/y')?.fingerprint);
  });

  const many = (count: number) => Array.from({ length: count }, (_, i) => `mysql://h/d${i}`).join();
  test.each([
    ['mysql://a/x,sqlite:y', 'must name only MySQL databases if it names several.'],
    ['mysql://a/x,mysql://a:3306/x', 'names a:3306/x twice.'],
    ['mysql://a/x,leaving:mysql://a/x', 'must name 2 to 32 shards; it names 1.'],
    ['leaving:mysql://a/x', 'must name 2 to 32 shards; it names 0.'],
    [many(33), 'must name 2 to 32 shards; it names 33.'],
    ['mysql://a/x,mysql://b', 'names a shard that must name one database after the host.'],
  ])('%s is refused', (text, why) => {
    expect(() => listed(text)).toThrow(`LOCKYARD_BACKEND_ORDERS ${why}`);
  });

  test('may be 32, and never the control database or a part of another backend', () => {
    expect(listed(many(32))?.shards).toHaveLength(32);
    const two = 'mysql://a/x,mysql://b/x';
    expect(() =>
      readConfig({ LOCKYARD_DATABASE_URL: 'mysql://u@a/x', LOCKYARD_BACKEND_ORDERS: two }),
    ).toThrow('must not name the same store as the control database');
    expect(() =>
      readConfig({ LOCKYARD_BACKEND_ORDERS: two, LOCKYARD_BACKEND_OTHER: 'mysql://b/x' }),
    ).toThrow('must not name the same store as LOCKYARD_BACKEND_ORDERS');
    expect(() => readConfig({ LOCKYARD_DATABASE_URL: two })).toThrow('LOCKYARD_DATABASE_URL');
    const long = 'A'.repeat(26);
    expect(() => readConfig({ [`LOCKYARD_BACKEND_${long}`]: two })).toThrow('at most 25 long');
  });
});
