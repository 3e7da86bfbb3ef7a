import type { Pool } from 'mysql2/promise';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NotGranted } from './not-granted';
import { withFairQueueLock } from './redis/fair-queue-lock';
import { withHashCountedLock } from './redis/hash-counted-lock';
import { LocallyCountedLocks, withLocallyCountedLock } from './redis/locally-counted-lock';
import { withSetNxPxLock } from './redis/set-nx-px-lock';
import { withSetnxLock } from './redis/setnx-expire-lock';
import { withSharedExclusiveLock } from './redis/shared-exclusive-lock';
import { withWatchdogLock } from './redis/watchdog-lock';
import type { SqlDatabase } from './sql-database';
import { createCentralLockTable, withCentralTableLock } from './tables/central-table-lock';
import { createHolderTable, withHolderTableLock } from './tables/holder-table-lock';
import { createNaiveLockTable, withNaiveTableLock } from './tables/naive-table-lock';
import { createSegmentedLockTable, withSegmentedTableLock } from './tables/segmented-table-lock';
import { interpose } from './testing/interpose';
import { openEnded } from './testing/open-ended';
import { openScratchMysql, type ScratchMysql } from './testing/scratch-mysql';
import { openScratchRedis, type ScratchRedis } from './testing/scratch-redis';
import { openScratchSql, type ScratchSql } from './testing/scratch-sql';
import {
  EphemeralSequentialLocks,
  withEphemeralSequentialLock,
} from './zookeeper/ephemeral-sequential-lock';

let redis: ScratchRedis;
let mysql: ScratchMysql;
let sql: ScratchSql;
beforeAll(async () => {
  redis = openScratchRedis();
  mysql = await openScratchMysql();
  sql = await openScratchSql.sqlite();
  const pool = mysql.pool();
  await createNaiveLockTable(pool);
  await createCentralLockTable(pool);
  await createSegmentedLockTable(pool);
  await createHolderTable(sql.database);
});
afterAll(async () => {
  await redis?.close();
  await mysql?.close();
  await sql?.close();
});

type Work = () => Promise<string>;

/** Runs the work under a lock of that name; no release succeeds. */
type Unreleased = (name: string, work: Work) => Promise<string>;

const unreachable = () => Promise.reject(new Error('the server is away'));

/** Work after which the server is down. */
const thenAway = (work: Work, isAway: { now: boolean }) => () => {
  isAway.now = true;
  return work();
};

const onRedis =
  (underLock: (client: ScratchRedis['redis'], name: string, work: Work) => Promise<string>) =>
  (name: string, work: Work) => {
    const client = redis.connect();
    return underLock(client, name, () => {
      client.disconnect();
      return work();
    });
  };

const onMysql =
  (underLock: (pool: Pool, name: string, work: Work) => Promise<string>): Unreleased =>
  (name, work) => {
    const [pool, isAway] = [mysql.pool(), { now: false }];
    const cut = interpose(pool, {
      execute: (...args: Parameters<Pool['execute']>) =>
        isAway.now ? unreachable() : pool.execute(...args),
      getConnection: () => (isAway.now ? unreachable() : pool.getConnection()),
    });
    return underLock(cut, name, thenAway(work, isAway));
  };

const onSqlite: Unreleased = (name, work) => {
  const [{ database }, isAway] = [sql, { now: false }];
  const cut = interpose<SqlDatabase>(database, {
    run: (...args: Parameters<SqlDatabase['run']>) =>
      isAway.now ? unreachable() : database.run(...args),
  });
  return withHolderTableLock(cut, name, thenAway(work, isAway));
};

const onZookeeper: Unreleased = (name, work) => {
  const locks = interpose(Object.create(EphemeralSequentialLocks.prototype), {
    lock: () => Promise.resolve('node'),
    whileInSession: work,
    unlock: unreachable,
  });
  return withEphemeralSequentialLock(locks, name, work);
};

const scoped = () => ({ prefix: redis.prefix });

const locks: [number: string, Unreleased][] = [
  ['1, naive', onMysql(withNaiveTableLock)],
  ['1, one central lock', onMysql(withCentralTableLock)],
  ['1, 100 segments', onMysql(withSegmentedTableLock)],
  ['a row that names its holder', onSqlite],
  ['11', onRedis((client, name, work) => withSetnxLock(client, name, work, scoped()))],
  ['12', onRedis((client, name, work) => withSetNxPxLock(client, name, work, scoped()))],
  [
    '13',
    onRedis((client, name, work) =>
      withLocallyCountedLock(new LocallyCountedLocks(client, scoped()), name, work),
    ),
  ],
  ['14', onRedis((client, name, work) => withHashCountedLock(client, name, work, scoped()))],
  ['15', onRedis((client, name, work) => withWatchdogLock(client, name, work, scoped()))],
  [
    '16, fair queue',
    onRedis((client, name, work) => withFairQueueLock(client, name, work, scoped())),
  ],
  [
    '16, exclusive',
    onRedis((client, name, work) =>
      withSharedExclusiveLock(client, name, 'exclusive', work, scoped()),
    ),
  ],
  ['18', onZookeeper],
];

test.each(locks)(
  '%s: an error of the work is passed on also if the release fails',
  async (number, unreleased) => {
    const failure = new Error('the work failed');
    const work = () => Promise.reject(failure);
    await expect(unreleased(`${number} fails`, work)).rejects.toBe(failure);
  },
);

test.each(locks)(
  '%s: a failed release after work that succeeded is an error',
  async (number, unreleased) => {
    const work = () => Promise.resolve('done');
    await expect(unreleased(`${number} succeeds`, work)).rejects.toThrow(
      /server is away|Connection is closed/,
    );
  },
);

test('16, fair queue: a place that stays does not hide that the lock was not granted', async () => {
  const { work, begun, end } = openEnded();
  const holder = withFairQueueLock(redis.redis, 'held', work, scoped());
  await begun;
  const client = redis.connect();
  let tries = 0;
  const leaves = interpose(client, {
    evalsha: (...args: Parameters<typeof client.evalsha>) => {
      tries += 1;
      return tries === 1 ? client.evalsha(...args) : unreachable();
    },
  });
  const late = withFairQueueLock(leaves, 'held', async () => {}, { ...scoped(), waitMs: 0 });
  await expect(late).rejects.toThrow(NotGranted);
  end();
  await holder;
});
