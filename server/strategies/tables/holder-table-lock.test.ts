import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NotGranted } from '../not-granted';
import type { PollOptions } from '../poll-until-granted';
import type { SqlDatabase } from '../sql-database';
import { countUnguarded } from '../testing/count-unguarded';
import { interpose } from '../testing/interpose';
import { openScratchSql, type ScratchSql } from '../testing/scratch-sql';
import {
  createHolderTable,
  releaseHolderTableLock,
  tryHolderTableLock,
  withHolderTableLock,
} from './holder-table-lock';

describe.each(['mysql', 'sqlite'] as const)('on %s', (dialect) => {
  let scratch: ScratchSql;
  let database: SqlDatabase;
  beforeEach(async () => {
    scratch = await openScratchSql[dialect]();
    database = scratch.database;
    await createHolderTable(database);
  });
  afterEach(() => scratch.close());

  test('it has one holder at a time, and leaves no row behind', async () => {
    const notes: string[] = [];
    const options: PollOptions = { note: (what) => notes.push(what) };
    const counted = await countUnguarded({ callers: 8, turns: 6 }, (turn) =>
      withHolderTableLock(database, 'shirts', turn, options),
    );
    expect(counted).toBe(48);
    expect(notes).toContain('conflict');
    expect(notes).not.toContain('deadlock');
    expect(await database.rows('SELECT lock_key FROM held_locks')).toEqual([]);
  });

  test('only its holder may release it', async () => {
    expect(await tryHolderTableLock(database, 'shirts', 'ana')).toBe(true);
    expect(await tryHolderTableLock(database, 'shirts', 'ben')).toBe(false);
    expect(await tryHolderTableLock(database, 'shirts', 'Ana'), 'letters differ by case').toBe(
      false,
    );
    expect(await releaseHolderTableLock(database, 'shirts', 'ben')).toBe(false);
    expect(await tryHolderTableLock(database, 'shirts', 'ben')).toBe(false);
    expect(await releaseHolderTableLock(database, 'shirts', 'ana')).toBe(true);
    expect(await tryHolderTableLock(database, 'shirts', 'ben')).toBe(true);
  });

  test('of simultaneous callers of a free lock one gets it', async () => {
    for (let round = 0; round < 20; round += 1) {
      const outcomes = await Promise.allSettled(
        Array.from({ length: 8 }, (_, i) =>
          tryHolderTableLock(database, `lock-${round}`, `holder-${i}`),
        ),
      );
      const granted = outcomes.filter((each) => each.status === 'fulfilled' && each.value);
      expect(granted).toHaveLength(1);
    }
  });

  test('a caller that does not learn that it has the lock leaves no row behind', async () => {
    const deaf = interpose(database, {
      async transaction(work: Parameters<SqlDatabase['transaction']>[0]) {
        await database.transaction(work);
        throw new Error('the answer is lost');
      },
    });
    await expect(withHolderTableLock(deaf, 'shirts', async () => {})).rejects.toThrow('is lost');
    expect(await database.rows('SELECT lock_key FROM held_locks')).toEqual([]);
    await withHolderTableLock(
      database,
      'shirts',
      async () => {
        const again = withHolderTableLock(deaf, 'shirts', async () => {}, { holder: 'ana' });
        await expect(again).rejects.toThrow('is lost');
      },
      { holder: 'ana' },
    );
    expect(await database.rows('SELECT lock_key FROM held_locks'), 'released once').toEqual([]);
  });

  test('limit: it has no lease: a dead holder keeps it until its row is deleted', async () => {
    await tryHolderTableLock(database, 'shirts', 'dead');
    await database.run("UPDATE held_locks SET acquire_time = '2001-01-01 00:00:00'");
    const refused = withHolderTableLock(database, 'shirts', async () => {}, { waitMs: 30 });
    await expect(refused).rejects.toThrow(NotGranted);
    await database.run("DELETE FROM held_locks WHERE lock_holder = 'dead'");
    await withHolderTableLock(database, 'shirts', async () => {}, { waitMs: 30 });
  });

  test('limit: entries are not counted: the first release frees it', async () => {
    const own = { holder: 'ana', waitMs: 30 };
    await withHolderTableLock(
      database,
      'shirts',
      async () => {
        await withHolderTableLock(database, 'shirts', async () => {}, own);
        expect(await tryHolderTableLock(database, 'shirts', 'ben')).toBe(true);
      },
      own,
    );
    expect(await tryHolderTableLock(database, 'shirts', 'ben'), 'still of ben').toBe(true);
  });
});
