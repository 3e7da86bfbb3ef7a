import type { Pool } from 'mysql2/promise';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NotGranted } from '../not-granted';
import type { PollOptions } from '../poll-until-granted';
import { countUnguarded } from '../testing/count-unguarded';
import { openEnded } from '../testing/open-ended';
import { openScratchMysql, type ScratchMysql } from '../testing/scratch-mysql';
import { sellUnguarded } from '../testing/sell-unguarded';
import {
  createCentralLockTable,
  releaseCentralTableLock,
  tryCentralTableLock,
  withCentralTableLock,
} from './central-table-lock';
import { OVERFLOWED_YEAR_MS, YEAR_LEASE_MS } from './lock-table';
import {
  createNaiveLockTable,
  releaseNaiveTableLock,
  tryNaiveTableLock,
  withNaiveTableLock,
} from './naive-table-lock';
import {
  createSegmentedLockTable,
  releaseSegmentedTableLock,
  trySegmentedTableLock,
  withSegmentedTableLock,
} from './segmented-table-lock';

let scratch: ScratchMysql;
let pool: Pool;
beforeEach(async () => {
  scratch = await openScratchMysql();
  pool = scratch.pool();
});
afterEach(() => scratch.close());

/** The three versions of the lock table, which offer the same. */
const versions = {
  'version 1, naive': {
    table: 'naive_locks',
    create: createNaiveLockTable,
    tryLock: tryNaiveTableLock,
    release: releaseNaiveTableLock,
    withLock: withNaiveTableLock,
    deadlocks: true,
  },
  'version 2, one central lock': {
    table: 'central_locks',
    create: createCentralLockTable,
    tryLock: tryCentralTableLock,
    release: releaseCentralTableLock,
    withLock: withCentralTableLock,
    deadlocks: false,
  },
  'version 3, 100 segments': {
    table: 'segmented_locks',
    create: createSegmentedLockTable,
    tryLock: trySegmentedTableLock,
    release: releaseSegmentedTableLock,
    withLock: withSegmentedTableLock,
    deadlocks: false,
  },
};

/** One round makes the naive version deadlock on any machine that was tried. */
const ROUNDS = 20;

const SECOND = 1_000;
const DAY_MS = 24 * 60 * 60 * SECOND;

/** Connections whose clock is ahead by this much. */
function laterBy(ms: number): Pool {
  const later = scratch.pool({ connectionLimit: 2 });
  later.on('connection', (connection) => {
    connection.query(`SET timestamp = ${(Date.now() + ms) / 1_000}`);
  });
  return later;
}

describe.each(Object.entries(versions))('%s', (_name, version) => {
  const { create, tryLock, release, withLock, table } = version;
  beforeEach(() => create(pool));

  test('has one holder at a time', async () => {
    const counted = await countUnguarded({ callers: 6, turns: 6 }, (turn) =>
      withLock(pool, 'shirts', turn),
    );
    expect(counted).toBe(36);
  });

  test('sells no more than there is', async () => {
    const underLock = (sell: (through: Pool) => Promise<boolean>) =>
      withLock(pool, 'shirts', () => sell(pool));
    expect(await sellUnguarded(pool, 20, underLock)).toBe(20);
  });

  test('is free again after a release, after failed work, and after its deadline', async () => {
    expect(await tryLock(pool, 'shirts', { leaseMs: 30 * SECOND })).toBe(true);
    expect(await tryLock(pool, 'shirts')).toBe(false);
    expect(await tryLock(pool, 'Shirts'), 'letters differ by case').toBe(true);
    await release(pool, 'shirts');
    const failing = withLock(pool, 'shirts', () => Promise.reject(new Error('The work failed.')));
    await expect(failing).rejects.toThrow('The work failed.');
    expect(await tryLock(pool, 'shirts', { leaseMs: 30 * SECOND })).toBe(true);
    expect(await tryLock(laterBy(20 * SECOND), 'shirts')).toBe(false);
    expect(await tryLock(laterBy(31 * SECOND), 'shirts')).toBe(true);
  });

  test('a caller whose wait times out is refused, and its attempts are counted', async () => {
    await tryLock(pool, 'shirts');
    const notes: string[] = [];
    const options: PollOptions = { waitMs: 50, note: (what) => notes.push(what) };
    const refused = withLock(pool, 'shirts', async () => {}, options);
    await expect(refused).rejects.toThrow(NotGranted);
    const conflicts = notes.filter((what) => what === 'conflict').length;
    expect(conflicts).toBeGreaterThan(0);
    expect(notes.filter((what) => what === 'retry')).toHaveLength(conflicts - 1);
  });

  test('a record has the columns of the catalogue, and a release keeps it', async () => {
    await tryLock(pool, 'shirts', { leaseMs: 30 * SECOND, description: 'stock of shirts' });
    await release(pool, 'shirts');
    await tryLock(pool, 'shirts', { leaseMs: 40 * SECOND });
    const [rows] = await pool.query(
      `SELECT name, count, TIMESTAMPDIFF(SECOND, modify_time, deadline) AS lease, description,
         create_time < modify_time AS was_modified, status
       FROM ${table} WHERE name = 'shirts'`,
    );
    expect(rows).toEqual([
      {
        name: 'shirts',
        count: 2,
        lease: 40,
        description: 'stock of shirts',
        was_modified: 1,
        status: 1,
      },
    ]);
  });

  test('the default lease is a year, not the 17 days left by a 32-bit overflow', async () => {
    expect(OVERFLOWED_YEAR_MS / DAY_MS).toBeCloseTo(17.03, 2);
    expect(YEAR_LEASE_MS / DAY_MS).toBe(365);
    await tryLock(pool, 'for a year');
    await tryLock(pool, 'overflowed', { leaseMs: OVERFLOWED_YEAR_MS });
    const inDay18 = laterBy(17.5 * DAY_MS);
    expect(await tryLock(inDay18, 'for a year')).toBe(false);
    expect(await tryLock(inDay18, 'overflowed'), 'pitfall').toBe(true);
  });

  test('pitfall: it has no owner: any caller may release it, also too late', async () => {
    const holder = openEnded();
    const late = withLock(pool, 'shirts', holder.work, { leaseMs: 30 * SECOND });
    await holder.begun;
    expect(await tryLock(laterBy(31 * SECOND), 'shirts'), 'the lease is over').toBe(true);
    expect(await tryLock(pool, 'shirts'), 'the successor holds it').toBe(false);
    holder.end();
    await late;
    expect(await tryLock(pool, 'shirts'), 'the late release freed it').toBe(true);
  });

  const creators = version.deadlocks ? 'deadlock (pitfall)' : 'do not deadlock';
  test(`callers that create records ${creators}`, async () => {
    const notes: string[] = [];
    const options: PollOptions = { note: (what) => notes.push(what) };
    const deadlocks = () => notes.filter((what) => what === 'deadlock').length;
    for (let round = 0; round < ROUNDS && !(version.deadlocks && deadlocks() > 0); round += 1) {
      const names = Array.from({ length: 10 }, (_, i) => `missing-${round}-${i}`);
      await Promise.all(names.map((name) => withLock(pool, name, async () => {}, options)));
    }
    if (version.deadlocks) expect(deadlocks()).toBeGreaterThan(0);
    else expect(deadlocks()).toBe(0);
  });
});
