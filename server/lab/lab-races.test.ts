import { existsSync } from 'node:fs';
import { getPriority } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { projectRoot } from '@/scripts/project-root.mjs';
import { startPrivateRedis } from '@/scripts/servers/private-redis.mjs';
import { catalogue } from '@/server/strategies/catalogue';
import type { LabRow } from '../contract/console/lab/lab-race';
import { raceEntries } from './entries/race-entries';
import { askMysql } from './preflight/ask-servers';
import { childrenOf, connectZookeeper } from './servers/zookeeper-server';
import { LabRig, openLabServers } from './testing/lab-rig';

let lab: Awaited<ReturnType<typeof openLabServers>>;
let rig: LabRig;

beforeAll(async () => {
  lab = await openLabServers();
});
afterAll(async () => {
  await LabRig.removePrograms();
  await lab.close();
});
afterEach(async () => {
  await rig?.close();
});

const RIGHT = catalogue.filter(({ kind }) => kind !== 'wrong way');
const idsOf = (entries: readonly { id: string }[]) => entries.map(({ id }) => id);

test('every entry of the catalogue has a source and can be raced', () => {
  for (const { id, source } of catalogue) {
    expect(existsSync(join(projectRoot, source)), source).toBe(true);
    expect(raceEntries[id], id).toBeDefined();
  }
  expect(Object.keys(raceEntries).sort()).toEqual(idsOf(catalogue).sort());
  const numbers = new Set(catalogue.map(({ number }) => number));
  expect([...numbers].filter((number) => /^\d/.test(number)).map(Number)).toEqual(
    Array.from({ length: 20 }, (_, i) => i + 1),
  );
});

/** Twenty strategies, one after another. */
const ALL_STRATEGIES_MAX_MS = 600_000;

test(
  'every right way sells exactly the stock, and leaves nothing on any server',
  async () => {
    rig = await LabRig.open({ servers: lab.servers });
    const strategies = idsOf(RIGHT);
    const load = { workers: 6, stock: 12, thinkMs: 1, perEntryMs: 30_000 };
    const { rows, last } = await rig.race({ strategies, ...load });
    expect(last).toEqual({ kind: 'finished', endedBy: 'done' });
    expect(idsOf(rows)).toEqual(strategies);
    for (const row of rows) {
      expect(row, JSON.stringify(row)).toMatchObject({ sold: 12, oversold: 0, verdict: 'holds' });
      expect(row.reason, row.id).toBeUndefined();
      expect(row).toMatchObject({ stock: 12, servers: expect.stringMatching(/MySQL|SQLite/) });
      expect(row.opsPerSecond).toBeGreaterThan(0);
      expect(row.p99Ms).toBeGreaterThanOrEqual(row.p50Ms);
    }
    expect(await scratchLeft()).toEqual([]);
  },
  ALL_STRATEGIES_MAX_MS,
);

/** The limits of successive races: the first may be lucky, or too short on a busy machine. */
const WRONG_WAY_LIMITS_MS = [1_000, 3_000, 30_000, 120_000];
const WRONG_WAYS_MAX_MS = 600_000;

test(
  'every wrong way oversells with the default load',
  async () => {
    rig = await LabRig.open({ servers: lab.servers });
    let correct = idsOf(catalogue.filter(({ kind }) => kind === 'wrong way'));
    const raced: LabRow[] = [];
    for (const perEntryMs of WRONG_WAY_LIMITS_MS) {
      if (correct.length === 0) break;
      const { rows } = await rig.race({ strategies: correct, perEntryMs });
      raced.push(...rows);
      const oversold = rows.filter((row) => row.verdict === 'oversells' && row.oversold > 0);
      correct = correct.filter((id) => !idsOf(oversold).includes(id));
    }
    expect(correct, JSON.stringify(raced)).toEqual([]);
  },
  WRONG_WAYS_MAX_MS,
);

test('on SQLite alone the wrong ways oversell; 9, 10, 19 and the service are correct', async () => {
  rig = await LabRig.open({ servers: {} });
  const { entries } = await rig.runner.preflight();
  const strategies = idsOf(entries.filter(({ lacks }) => lacks === null));
  const { rows, last } = await rig.race({ strategies, workers: 6, stock: 12, perEntryMs: 60_000 });
  expect(last.endedBy).toBe('done');
  expect(rows.map(({ id, verdict }) => [id, verdict])).toEqual([
    ['value-written-back', 'oversells'],
    ['checked-in-memory', 'oversells'],
    ['mutex-before-commit', 'oversells'],
    ['holder-table-lock', 'holds'],
    ['bounded-table-counter', 'holds'],
    ['optimistic-version', 'holds'],
    ['service-lock', 'holds'],
    ['service-counter', 'holds'],
  ]);
  expect(rig.leftFolders()).toEqual([]);
});

test('a race runs at the lowest priority', async () => {
  rig = await LabRig.open({ servers: {}, niceness: undefined });
  const seen: number[] = [];
  await rig.race({ strategies: ['value-written-back'], stock: 100_000 }, ({ kind }) => {
    if (kind !== 'entry-started') return;
    seen.push(getPriority(rig.runner.pid));
    rig.runner.stop();
  });
  expect(seen).toEqual([19]);
});

test('a stopped race ends with its results so far, and removes its scratch data', async () => {
  rig = await LabRig.open({ servers: lab.servers });
  const strategies = ['with-row-lock', 'set-nx-px-lock'];
  const { rows, last } = await rig.race(
    { strategies, stock: 100_000, perEntryMs: 60_000 },
    (message) => message.kind === 'sample' && message.sold > 0 && rig.runner.stop(),
  );
  expect(last).toEqual({ kind: 'finished', endedBy: 'stopped' });
  expect(rows).toMatchObject([
    { id: 'with-row-lock', verdict: 'incomplete', reason: 'The race was stopped.' },
  ]);
  expect(rows[0]?.sold).toBeGreaterThan(0);
  expect(await scratchLeft()).toEqual([]);
});

test('a race whose server dies ends with its results so far; the next cleans up', async () => {
  const own = await startPrivateRedis({ durable: true });
  rig = await LabRig.open({ servers: { ...lab.servers, redis: [own.url] } });
  try {
    const { rows, last } = await rig.race(
      {
        // The counter's units are not those of the stock row, which can still be read.
        strategies: ['bounded-table-counter', 'redis-counter', 'optimistic-version'],
        stock: 500,
        // Units are left when the first sample arrives, also on a busy machine.
        thinkMs: 200,
        perEntryMs: 120_000,
      },
      (message) => {
        if (message.kind === 'sample' && message.id === 'redis-counter') own.signal('SIGKILL');
      },
    );
    expect(rows.map(({ id, verdict }) => [id, verdict])).toEqual([
      ['bounded-table-counter', 'holds'],
      ['redis-counter', 'incomplete'],
    ]);
    expect(last.endedBy).toBe('failed');
    expect(last.message).toMatch(/Redis at 127\.0\.0\.1:\d+ stopped answering.*next race starts/);
    await own.start();
    expect(await redisKeys(own.url)).not.toEqual([]);
    await rig.race({ strategies: ['redis-counter'], workers: 1, stock: 1 });
    expect(await redisKeys(own.url)).toEqual([]);
  } finally {
    await own.stop();
  }
});

test('a database that the preflight may not drop is named, and later dropped', async () => {
  const admin = await createConnection({ uri: lab.servers.mysql });
  await admin.query("CREATE USER lab_creator@'%' IDENTIFIED BY 'pw'");
  const url = Object.assign(new URL(lab.servers.mysql), {
    username: 'lab_creator',
    password: 'pw',
  });
  const ask = async (privilege: string) => {
    await admin.query(`GRANT ${privilege} ON \`lockyard\\_lab\\_%\`.* TO lab_creator@'%'`);
    const asked = await askMysql(url.href, true);
    return asked.answers ? asked.facts : expect.unreachable(asked.why);
  };
  const { mayCreate, leftBehind } = await ask('CREATE');
  expect([mayCreate, ...leftBehind]).toEqual([false, expect.stringMatching(/^lockyard_lab_probe/)]);
  expect(await ask('DROP')).toMatchObject({ mayCreate: true, leftBehind: [] });
  const [rows] = await admin.query<RowDataPacket[]>('SHOW DATABASES');
  expect(rows.map((row) => row.Database)).not.toContain(leftBehind[0]);
  await admin.query("DROP USER lab_creator@'%'");
  await admin.end();
});

test("the next race removes what a killed process left, except other programs' names", async () => {
  rig = await LabRig.open({ servers: lab.servers });
  const connection = await createConnection({ uri: lab.servers.mysql });
  await connection.query('CREATE DATABASE IF NOT EXISTS lockyard_lab');
  const load = { stock: 100_000, perEntryMs: 60_000 };
  const killed = rig.race({ strategies: ['sharded-row-lock'], ...load }, ({ kind }) => {
    if (kind === 'sample') process.kill(rig.runner.pid ?? 0, 'SIGKILL');
  });
  expect((await killed).last).toMatchObject({
    endedBy: 'failed',
    message: 'The process of the race ended unexpectedly (SIGKILL).',
  });
  expect(await scratchLeft()).not.toEqual([]);
  await rig.race({ strategies: ['row-lock'], workers: 1, stock: 1 });
  expect(await scratchLeft()).toEqual([]);
  const [kept] = await connection.query<RowDataPacket[]>("SHOW DATABASES LIKE 'lockyard\\_lab'");
  expect(kept).toHaveLength(1);
  await connection.query('DROP DATABASE lockyard_lab');
  await connection.end();
});

test('the preflight finds an evicting Redis, and a Lockyard backend by another name', async () => {
  const evicting = await startPrivateRedis({ settings: ['--maxmemory-policy', 'allkeys-lru'] });
  const { mysql, zookeeper, redis } = lab.servers;
  const alias = new URL(mysql);
  alias.hostname = 'localhost';
  alias.pathname = '/mysql';
  rig = await LabRig.open({
    servers: { mysql, zookeeper, redis: [evicting.url, ...redis] },
    backends: [
      { kind: 'mysql', url: alias.href },
      { kind: 'redis', url: redis[1]?.replace('127.0.0.1', 'localhost') ?? '' },
    ],
  });
  try {
    const { servers } = await rig.runner.preflight();
    expect(servers.map(({ name, state }) => [name, state])).toEqual([
      ['MySQL', 'refused'],
      ['Redis', 'refused'],
      ['Redis 2', 'ready'],
      ['Redis 3', 'refused'],
      ['Redis 4', 'ready'],
      ['ZooKeeper', 'ready'],
    ]);
    for (const { version } of servers) expect(version).toMatch(/^\d+\.\d+/);
    expect(servers[1]?.advice).toMatch(/evicts.*allkeys-lru/);
    const { last } = await rig.race({ strategies: ['row-lock'] });
    expect(last).toMatchObject({ endedBy: 'failed', message: expect.stringMatching(/MYSQL_URL/) });
  } finally {
    await evicting.stop();
  }
});

/** The data that races have left on the servers and on the disk. */
async function scratchLeft(): Promise<string[]> {
  const connection = await createConnection({ uri: lab.servers.mysql });
  const [databases] = await connection.query<RowDataPacket[]>(
    `SHOW DATABASES LIKE 'lockyard\\_lab\\_t${process.pid}x%'`,
  );
  await connection.end();
  const zookeeper = await connectZookeeper(lab.servers.zookeeper);
  const znodes = await childrenOf(zookeeper, '/');
  zookeeper.close();
  const keys = await Promise.all(lab.servers.redis.map(redisKeys));
  return [
    ...databases.flatMap((row) => Object.values(row).map(String)),
    ...keys.flat(),
    ...znodes.filter((name) => name.startsWith(`lockyard-lab-t${process.pid}x`)),
    ...rig.leftFolders(),
  ];
}

async function redisKeys(url: string): Promise<string[]> {
  const redis = new Redis(url);
  const keys = await redis.keys('*');
  redis.disconnect();
  return keys;
}
