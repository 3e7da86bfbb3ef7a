import type { Pool, PoolConnection } from 'mysql2/promise';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { countUnguarded } from '../testing/count-unguarded';
import { openScratchMysql, type ScratchMysql } from '../testing/scratch-mysql';
import { sellUnguarded } from '../testing/sell-unguarded';
import { createLockResource, createLockResourceTable, withLockResource } from './lock-resource';
import { SessionLocks, withSessionLock } from './session-locks';
import { shardOf, withShardedRowLock } from './sharded-row-lock';
import { createRowLockTable, withRowLock } from './with-row-lock';
import { withRowLocks } from './with-row-locks';

let scratch: ScratchMysql;
let pool: Pool;
beforeEach(async () => {
  scratch = await openScratchMysql();
  pool = scratch.pool();
});
afterEach(() => scratch.close());

type WithLock = <T>(work: (connection: PoolConnection) => Promise<T>) => Promise<T>;

/** Each strategy of this folder, ready to lock one thing. */
const strategies: Record<string, () => Promise<WithLock>> = {
  'a lock resource': async () => {
    await createLockResourceTable(pool);
    return (work) => withLockResource(pool, 'shirts', work);
  },
  'a session lock': async () => {
    await createLockResourceTable(pool);
    await createLockResource(pool, 'shirts');
    const locks = new SessionLocks(pool);
    return (work) => withSessionLock(locks, 'shirts', work);
  },
  'a named row lock': async () => {
    await createRowLockTable(pool, ['shirts']);
    return (work) => withRowLock(pool, 'shirts', work);
  },
  'a sharded row lock': async () => {
    await createRowLockTable(pool, ['shirts']);
    const elsewhere = scratch.pool({ connectionLimit: 1 });
    const pools = [elsewhere, elsewhere, elsewhere];
    pools[shardOf('shirts', pools.length)] = pool;
    return (work) => withShardedRowLock(pools, 'shirts', work);
  },
  'several row locks': async () => {
    await createRowLockTable(pool, ['real', 'virtual']);
    let turns = 0;
    return (work) => {
      turns += 1;
      return withRowLocks(pool, turns % 2 ? ['virtual', 'real'] : ['real', 'virtual'], work);
    };
  },
};

test('without a lock the same counting loses steps', async () => {
  const counted = await countUnguarded({ callers: 20, turns: 10 }, (turn) => turn());
  expect(counted).toBeLessThan(200);
});

describe.each(Object.entries(strategies))('%s', (_name, open) => {
  test('has one holder at a time, among more callers than connections', async () => {
    const withLock = await open();
    const counted = await countUnguarded({ callers: 20, turns: 10 }, (turn) => withLock(turn));
    expect(counted).toBe(200);
  });

  test('sells no more than there is', async () => {
    const withLock = await open();
    expect(await sellUnguarded(pool, 20, withLock)).toBe(20);
  });

  test('is free again after work that failed, and what that wrote is undone', async () => {
    const withLock = await open();
    await pool.query('CREATE TABLE written (id INT NOT NULL)');
    const failing = withLock(async (connection) => {
      await connection.query('INSERT INTO written VALUES (1)');
      throw new Error('The work failed.');
    });
    await expect(failing).rejects.toThrow('The work failed.');
    const [rows] = await withLock((connection) => connection.query('SELECT id FROM written'));
    expect(rows).toEqual([]);
  });
});
