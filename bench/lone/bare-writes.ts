import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@libsql/client';
import { Redis } from 'ioredis';
import mysql from 'mysql2/promise';
import { redisScript } from '@/server/strategies/redis/redis-script';

/** One write by a lone caller, over an open connection. */
export interface BareWrite {
  name: string;
  run(name: string): Promise<unknown>;
  close(): Promise<void>;
}

const TABLE = 'steps (name VARCHAR(128) NOT NULL PRIMARY KEY, n BIGINT NOT NULL)';
const UPDATE = 'UPDATE steps SET n = n + 1 WHERE name = ?';

/** @param url an empty database of a MariaDB that flushes every commit */
export async function openMariadbUpdate(url: string, names: string[]): Promise<BareWrite> {
  const connection = await mysql.createConnection(url);
  await connection.query(`CREATE TABLE ${TABLE} ENGINE = InnoDB`);
  await connection.query('INSERT INTO steps (name, n) VALUES ?', [names.map((name) => [name, 0])]);
  return {
    name: 'durable UPDATE by primary key',
    run: (name) => connection.query(UPDATE, [name]),
    close: () => connection.end(),
  };
}

/** A separate file that flushes its write-ahead log at every commit. */
export async function openSqliteUpdate(names: string[]): Promise<BareWrite> {
  const folder = await mkdtemp(join(tmpdir(), 'lockyard-bench-'));
  const client = createClient({ url: `file:${join(folder, 'steps.db')}` });
  await client.execute('PRAGMA journal_mode = WAL');
  await client.execute('PRAGMA synchronous = FULL');
  await client.execute(`CREATE TABLE ${TABLE}`);
  for (const name of names) {
    await client.execute({ sql: 'INSERT INTO steps (name, n) VALUES (?, 0)', args: [name] });
  }
  return {
    name: 'durable UPDATE by primary key',
    run: (name) => client.execute({ sql: UPDATE, args: [name] }),
    async close() {
      client.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const SET = redisScript<string>("return redis.call('SET', KEYS[1], ARGV[1])");

/** As durable as this Redis is configured to be. */
export async function openRedisSet(url: string): Promise<BareWrite> {
  const redis = new Redis(url);
  await redis.ping();
  return {
    name: 'EVALSHA that sets one key',
    run: (name) => SET(redis, [`bench:${name}`], [Date.now()]),
    async close() {
      redis.disconnect();
    },
  };
}
