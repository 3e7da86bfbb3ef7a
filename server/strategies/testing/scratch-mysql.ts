import { setTimeout } from 'node:timers/promises';
import { createPool, type Pool, type PoolOptions, type RowDataPacket } from 'mysql2/promise';
import { newTestLocation } from '@/db/testing/test-database';

/** An empty database on the server of the tests, and pools over it. */
export interface ScratchMysql {
  pool(options?: PoolOptions): Pool;
  /** Resolves when at least `count` transactions in this database wait for a row. */
  untilWaiting(count: number): Promise<void>;
  /** Ends all pools and removes the database. */
  close(): Promise<void>;
}

const LOOK_EVERY_MS = 20;

export async function openScratchMysql(): Promise<ScratchMysql> {
  const place = await newTestLocation('mysql');
  if (place.url.kind !== 'mysql') throw new Error('This is no MySQL.');
  const { url } = place.url;
  const pools: Pool[] = [];
  const pool = (options: PoolOptions = {}) => {
    const opened = createPool({ uri: url, connectionLimit: 10, ...options });
    pools.push(opened);
    return opened;
  };
  const watcher = pool({ connectionLimit: 1 });
  return {
    pool,
    async untilWaiting(count) {
      while ((await lockWaits(watcher)) < count) await setTimeout(LOOK_EVERY_MS);
    },
    async close() {
      await Promise.all(pools.map((each) => each.end()));
      await place.remove();
    },
  };
}

/**
 * How many transactions of this database wait for a row. `information_schema.innodb_trx` would be
 * simpler, but its content is not refreshed while it is read every 100 ms or more often.
 */
async function lockWaits(pool: Pool): Promise<number> {
  const [[status]] = await pool.query<RowDataPacket[]>('SHOW ENGINE INNODB STATUS');
  const [own] = await pool.query<RowDataPacket[]>(
    'SELECT id FROM information_schema.processlist WHERE db = DATABASE()',
  );
  const ids = new Set(own.map(({ id }) => String(id)));
  return String(status?.Status)
    .split('---TRANSACTION')
    .filter((each) => each.includes('LOCK WAIT'))
    .filter((each) => ids.has(/thread id (\d+)/.exec(each)?.[1] ?? '')).length;
}
