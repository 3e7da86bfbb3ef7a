import { setTimeout } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type SqlDatabase, UTC_NOW } from './sql-database';
import { openScratchSql, type ScratchSql } from './testing/scratch-sql';

describe.each(['mysql', 'sqlite'] as const)('%s', (dialect) => {
  let scratch: ScratchSql;
  let database: SqlDatabase;
  beforeEach(async () => {
    scratch = await openScratchSql[dialect]();
    database = scratch.database;
    await database.run('CREATE TABLE things (id INT NOT NULL PRIMARY KEY, size BIGINT, name TEXT)');
  });
  afterEach(() => scratch.close());

  test('returns the rows that match, and how many a statement wrote, changed or not', async () => {
    const insert = 'INSERT INTO things VALUES (?, ?, ?)';
    expect(await database.run(insert, [1, Number.MAX_SAFE_INTEGER, 'a'])).toBe(1);
    expect(await database.run(insert, [2, null, 'ü'])).toBe(1);
    expect(await database.run("UPDATE things SET name = 'a'")).toBe(2);
    expect(await database.run('DELETE FROM things WHERE id = ?', [3])).toBe(0);
    const [row] = await database.rows<{ size: number; name: string }>(
      'SELECT size, name FROM things WHERE id = ?',
      [1],
    );
    expect({ ...row }).toMatchObject({ size: Number.MAX_SAFE_INTEGER, name: 'a' });
  });

  test('a transaction is written completely or not at all', async () => {
    await database.transaction(async (session) => {
      await session.run("INSERT INTO things VALUES (1, 1, 'a')");
      expect(await session.rows('SELECT id FROM things')).toHaveLength(1);
    });
    const failing = database.transaction(async (session) => {
      await session.run("INSERT INTO things VALUES (2, 2, 'b')");
      throw new Error('The work failed.');
    });
    await expect(failing).rejects.toThrow('The work failed.');
    expect(await database.rows('SELECT id FROM things')).toHaveLength(1);
  });

  test('concurrent writers all succeed, with transactions and single statements', async () => {
    const ids = Array.from({ length: 30 }, (_, id) => id);
    const insert = 'INSERT INTO things VALUES (?, 0, ?)';
    await Promise.all(
      ids.map((id) =>
        id % 2
          ? database.run(insert, [id, 'a'])
          : database.transaction((session) => session.run(insert, [id, 'a'])),
      ),
    );
    expect(await database.rows('SELECT id FROM things')).toHaveLength(30);
  });

  test('reads its own clock, in UTC', async () => {
    const [row] = await database.rows<{ now: string }>(
      `SELECT CAST(${UTC_NOW[dialect]} AS CHAR) AS now`,
    );
    const now = Date.parse(`${row?.now.slice(0, 23).replace(' ', 'T')}Z`);
    expect(Math.abs(now - Date.now())).toBeLessThan(60_000);
  });
});

test('on sqlite, another writer of the file delays writes and loses none', async () => {
  const scratch = await openScratchSql.sqlite();
  const another = scratch.anotherClient();
  const { database } = scratch;
  await database.run('CREATE TABLE things (id INT)');
  const held = await another.transaction('write');
  await held.execute('INSERT INTO things VALUES (1)');
  const writes = [
    database.transaction((session) => session.run('INSERT INTO things VALUES (2)')),
    database.run('INSERT INTO things VALUES (3)'),
    database.transaction((session) => session.run('INSERT INTO things VALUES (4)')),
  ];
  await setTimeout(50);
  await held.commit();
  expect(await Promise.all(writes)).toEqual([1, 1, 1]);
  const { rows } = await another.execute('SELECT id FROM things ORDER BY id');
  expect(rows.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  another.close();
  await scratch.close();
});
