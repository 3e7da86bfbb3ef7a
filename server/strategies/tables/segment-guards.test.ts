import { crc32 } from 'node:zlib';
import type { Pool } from 'mysql2/promise';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openScratchMysql, type ScratchMysql } from '../testing/scratch-mysql';
import {
  createCentralLockTable,
  releaseCentralTableLock,
  tryCentralTableLock,
} from './central-table-lock';
import {
  createSegmentedLockTable,
  releaseSegmentedTableLock,
  segmentOf,
  trySegmentedTableLock,
} from './segmented-table-lock';

let scratch: ScratchMysql;
let pool: Pool;
beforeEach(async () => {
  scratch = await openScratchMysql();
  pool = scratch.pool();
});
afterEach(() => scratch.close());

/** A session in the middle of an acquire: it has locked the guard and not committed yet. */
async function slowAcquire(table: string, guard: string): Promise<() => Promise<void>> {
  const connection = await pool.getConnection();
  await connection.query('BEGIN');
  await connection.query(`SELECT name FROM ${table} WHERE name = ? FOR UPDATE`, [guard]);
  return async () => {
    await connection.query('COMMIT');
    connection.release();
  };
}

/** The first name of the form `lock-n` for which this holds. */
function nameWith(holds: (name: string) => boolean): string {
  for (let i = 1; ; i += 1) if (holds(`lock-${i}`)) return `lock-${i}`;
}

test('the last two digits of the crc32 of a name select one of 100 segments', () => {
  for (const name of ['shirts', 'a', '', '锁', ...Array.from({ length: 500 }, (_, i) => `n${i}`)]) {
    expect(segmentOf(name)).toBe(`center_lock_${String(crc32(name)).slice(-2).padStart(2, '0')}`);
  }
  const all = new Set(Array.from({ length: 5_000 }, (_, i) => segmentOf(`n${i}`)));
  expect(all.size).toBe(100);
});

test('pitfall: an unrelated name of the same segment waits, one of another does not', async () => {
  await createSegmentedLockTable(pool);
  const guard = segmentOf('shirts');
  const same = nameWith((name) => segmentOf(name) === guard);
  const other = nameWith((name) => segmentOf(name) !== guard);
  const finish = await slowAcquire('segmented_locks', guard);
  const waiting = trySegmentedTableLock(pool, same);
  await scratch.untilWaiting(1);
  expect(await trySegmentedTableLock(pool, other)).toBe(true);
  await finish();
  expect(await waiting).toBe(true);
});

test('a release waits for its segment, unless it is one plain update', async () => {
  await createSegmentedLockTable(pool);
  await trySegmentedTableLock(pool, 'shirts');
  const finish = await slowAcquire('segmented_locks', segmentOf('shirts'));
  await releaseSegmentedTableLock(pool, 'shirts', { releasesUnderSegment: false });
  const waiting = releaseSegmentedTableLock(pool, 'shirts');
  await scratch.untilWaiting(1);
  await finish();
  await waiting;
  expect(await trySegmentedTableLock(pool, 'shirts')).toBe(true);
});

test('pitfall: with one central lock every name waits, and so does every release', async () => {
  await createCentralLockTable(pool);
  await tryCentralTableLock(pool, 'shirts');
  const finish = await slowAcquire('central_locks', 'center_lock');
  const waiting = [
    tryCentralTableLock(pool, 'shoes'),
    tryCentralTableLock(pool, 'hats'),
    releaseCentralTableLock(pool, 'shirts'),
  ];
  await scratch.untilWaiting(3);
  await finish();
  expect(await Promise.all(waiting)).toEqual([true, true, undefined]);
});
