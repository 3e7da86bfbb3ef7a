import mysql, { type Pool } from 'mysql2/promise';
import { isDeadlock } from '@/server/strategies/mysql-error';
import {
  createCentralLockTable,
  releaseCentralTableLock,
  tryCentralTableLock,
} from '@/server/strategies/tables/central-table-lock';
import {
  createNaiveLockTable,
  releaseNaiveTableLock,
  tryNaiveTableLock,
} from '@/server/strategies/tables/naive-table-lock';
import {
  createSegmentedLockTable,
  releaseSegmentedTableLock,
  trySegmentedTableLock,
} from '@/server/strategies/tables/segmented-table-lock';
import { openLockyardLock } from '../lockyard-lock';

const LEASE_MS = 30_000;

/** One way to lock, as the bench of the catalogue drives it. */
export interface CatalogueLock {
  name: string;
  /** Acquires a lock that is free, and releases it. Returns the number of deadlocks on the way. */
  cycle(lock: string, owner: string): Promise<number>;
  close(): Promise<void>;
}

type Open = (url: string, connections: number) => Promise<CatalogueLock>;

/** Strategies 6, 7 and 8 over a pool, and Lockyard, each on an empty database. */
export const catalogueLocks: Open[] = [
  tableLock('6  lock table, naive', {
    create: createNaiveLockTable,
    tryLock: tryNaiveTableLock,
    release: releaseNaiveTableLock,
  }),
  tableLock('7  lock table, one central lock', {
    create: createCentralLockTable,
    tryLock: tryCentralTableLock,
    release: releaseCentralTableLock,
  }),
  tableLock('8  lock table, 100 segments', {
    create: createSegmentedLockTable,
    tryLock: trySegmentedTableLock,
    release: releaseSegmentedTableLock,
  }),
  async (url) => {
    const lock = await openLockyardLock(url);
    return {
      name: '   Lockyard',
      async cycle(name, owner) {
        await lock.release(name, owner, await lock.acquire(name, owner));
        return 0;
      },
      close: () => lock.close(),
    };
  },
];

interface TableLock {
  create(pool: Pool): Promise<void>;
  tryLock(pool: Pool, name: string, options: { leaseMs: number }): Promise<boolean>;
  release(pool: Pool, name: string): Promise<void>;
}

function tableLock(name: string, { create, tryLock, release }: TableLock): Open {
  return async (url, connections) => {
    const pool = mysql.createPool({
      uri: url,
      connectionLimit: connections,
      maxIdle: connections,
      timezone: 'Z',
    });
    await create(pool);
    return {
      name,
      async cycle(lock) {
        for (let deadlocks = 0; ; ) {
          try {
            if (!(await tryLock(pool, lock, { leaseMs: LEASE_MS }))) {
              throw new Error(`${lock} was held, though no other worker uses it.`);
            }
            await release(pool, lock);
            return deadlocks;
          } catch (error) {
            if (!isDeadlock(error)) throw error;
            deadlocks += 1;
          }
        }
      },
      close: () => pool.end(),
    };
  };
}
