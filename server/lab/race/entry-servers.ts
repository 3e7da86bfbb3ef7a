import { join } from 'node:path';
import { createClient } from '@libsql/client/sqlite3';
import type { Redis } from 'ioredis';
import type { Pool } from 'mysql2/promise';
import type { Client } from 'node-zookeeper-client';
import { mysqlDatabase } from '@/server/strategies/mysql-database';
import type { SqlDatabase } from '@/server/strategies/sql-database';
import { sqliteDatabase } from '@/server/strategies/sqlite-database';
import type { LabServers } from '../lab-order';
import { databaseOf, redisPrefixOf, znodeOf } from '../scratch/scratch-names';
import { databaseUrl, mysqlPool } from '../servers/mysql-server';
import { connectRedis } from '../servers/redis-server';
import { connectZookeeper } from '../servers/zookeeper-server';

/** How long a thread may wait for another one's write to the SQLite file. */
const SQLITE_TIMEOUT_MS = 10_000;

/**
 * By default MySQL and MariaDB accept 151 connections, and others need some; one pool grows to its
 * limit beyond these.
 */
const WARM_MAX = 100;

/** Where a run stores its data. Can be passed to another thread. */
export interface RunPlace {
  runId: string;
  servers: LabServers;
  /** The run's folder for embedded SQLite. */
  folder: string;
  /** The most connections of one pool to MySQL. */
  connections: number;
}

/** The connections of one entry in one thread, each opened on demand. */
export class EntryServers {
  private readonly pools = new Map<string, Pool>();
  private readonly closers: (() => unknown)[] = [];
  private database: SqlDatabase | null = null;

  constructor(readonly place: RunPlace) {}

  /** The prefix of the keys of this run on Redis. */
  get redisPrefix(): string {
    return redisPrefixOf(this.place.runId);
  }

  /** The znode that contains all of this run's. */
  get znode(): string {
    return znodeOf(this.place.runId);
  }

  /** The database of the stock: on MySQL, or else in an SQLite file. */
  sql(): SqlDatabase {
    this.database ??= this.place.servers.mysql
      ? mysqlDatabase(this.pool('', 'stock'))
      : this.sqlite();
    return this.database;
  }

  /**
   * A pool on one of the run's databases, the same for the same arguments.
   *
   * @param part as for `databaseOf`
   * @param use distinguishes pools that must not wait for one another's connections
   */
  pool(part = '', use = 'locks'): Pool {
    const key = `${part}/${use}`;
    const known = this.pools.get(key);
    if (known) return known;
    const pool = mysqlPool(this.databaseUrl(part), this.place.connections);
    this.pools.set(key, pool);
    this.closers.push(() => pool.end());
    return pool;
  }

  /**
   * Opens the connections of every pool, so that no order has to wait for one to open: fewer of
   * each if there are many pools, of which a race then uses only some.
   */
  async warmUp(): Promise<void> {
    const connections = Math.min(this.place.connections, Math.floor(WARM_MAX / this.pools.size));
    const asked = [...this.pools.values()].flatMap((pool) =>
      Array.from({ length: connections }, () => pool.query('SELECT SLEEP(0.05)')),
    );
    await Promise.all(asked);
  }

  /** Creates another database of this run on MySQL. */
  async createDatabase(part: string): Promise<void> {
    await this.pool().query(`CREATE DATABASE IF NOT EXISTS ${databaseOf(this.place.runId, part)}`);
  }

  databaseUrl(part: string): string {
    const { runId, servers } = this.place;
    if (!servers.mysql) throw new Error('This race has no MySQL.');
    return databaseUrl(servers.mysql, databaseOf(runId, part));
  }

  /** @param node 0 for the first one */
  async redis(node = 0): Promise<Redis> {
    const url = this.place.servers.redis?.[node];
    if (!url) throw new Error(`This race has no Redis ${node + 1}.`);
    const redis = await connectRedis(url);
    this.closers.push(() => redis.disconnect());
    return redis;
  }

  async zookeeper(): Promise<Client> {
    const { zookeeper } = this.place.servers;
    if (!zookeeper) throw new Error('This race has no ZooKeeper.');
    const client = await connectZookeeper(zookeeper);
    this.closers.push(() => client.close());
    return client;
  }

  /** Closes every connection; requests without an answer fail. */
  async close(): Promise<void> {
    await Promise.allSettled(this.closers.splice(0).map((close) => close()));
    this.pools.clear();
    this.database = null;
  }

  private sqlite(): SqlDatabase {
    const client = createClient({
      url: `file:${join(this.place.folder, 'stock.db')}`,
      timeout: SQLITE_TIMEOUT_MS,
    });
    this.closers.push(() => client.close());
    return sqliteDatabase(client);
  }
}
