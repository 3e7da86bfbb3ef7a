import { createClient } from '@libsql/client';
import { Redis } from 'ioredis';
import { createPool } from 'mysql2/promise';
import { guardedUpsert as upsertMysql } from '../mysql';
import { guardedSet } from '../redis';
import { guardedUpsert as upsertSqlite } from '../sqlite';

/** A store of texts by name, written under a guard. */
export interface GuardedStore {
  write(name: string, value: string, token: number): Promise<unknown>;
  /** The text, and the highest token seen. */
  read(name: string): Promise<{ value: string; fence: number }>;
  close(): Promise<void>;
}

export type StoreKind = 'mysql' | 'sqlite' | 'redis';

const COLUMNS = 'name VARCHAR(100) NOT NULL PRIMARY KEY, value VARCHAR(100), fence BIGINT';

async function openMysql(url: string): Promise<GuardedStore> {
  const pool = createPool({ uri: url, connectionLimit: 16 });
  await pool.query(`CREATE TABLE IF NOT EXISTS things (${COLUMNS}) ENGINE=InnoDB`);
  return {
    write: (name, value, token) =>
      upsertMysql(pool, { table: 'things', key: { name }, set: { value }, token }),
    async read(name) {
      const [rows] = await pool.execute('SELECT value, fence FROM things WHERE name = ?', [name]);
      const [row] = rows as { value: string; fence: number }[];
      if (!row) throw new Error(`no "${name}"`);
      return row;
    },
    close: () => pool.end(),
  };
}

async function openSqlite(url: string): Promise<GuardedStore> {
  const client = createClient({ url });
  await client.execute(`CREATE TABLE IF NOT EXISTS things (${COLUMNS})`);
  return {
    write: (name, value, token) =>
      upsertSqlite(client, { table: 'things', key: { name }, set: { value }, token }),
    async read(name) {
      const sql = 'SELECT value, fence FROM things WHERE name = ?';
      const { rows } = await client.execute({ sql, args: [name] });
      if (!rows[0]) throw new Error(`no "${name}"`);
      return { value: String(rows[0].value), fence: Number(rows[0].fence) };
    },
    close: async () => client.close(),
  };
}

async function openRedis(url: string): Promise<GuardedStore> {
  const redis = new Redis(url);
  return {
    write: (key, value, token) => guardedSet(redis, { key, value, token }),
    async read(key) {
      const [value, fence] = await redis.mget(key, `{${key}}:fence`);
      return { value: value ?? '', fence: Number(fence) };
    },
    close: async () => void (await redis.quit()),
  };
}

export const openGuardedStore: Record<StoreKind, (url: string) => Promise<GuardedStore>> = {
  mysql: openMysql,
  sqlite: openSqlite,
  redis: openRedis,
};
