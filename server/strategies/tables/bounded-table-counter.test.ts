import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SqlDatabase } from '../sql-database';
import { openScratchSql, type ScratchSql } from '../testing/scratch-sql';
import { addWithinBounds, createCounterTable, createTableCounter } from './bounded-table-counter';

const PRIZES = { key: { name: 'prizes' } };

describe.each(['mysql', 'sqlite'] as const)('on %s', (dialect) => {
  let scratch: ScratchSql;
  let database: SqlDatabase;
  beforeEach(async () => {
    scratch = await openScratchSql[dialect]();
    database = scratch.database;
    await createCounterTable(database);
  });
  afterEach(() => scratch.close());

  const value = async () =>
    (await database.rows<{ count: number }>('SELECT count FROM counted_locks'))[0]?.count;

  test('10 prizes go to exactly 10 of 40 callers', async () => {
    await createTableCounter(database, 'prizes', 10);
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, () => addWithinBounds(database, PRIZES, -1, { floor: 0 })),
    );
    expect(outcomes.filter((each) => each === 'applied')).toHaveLength(10);
    expect(outcomes.filter((each) => each === 'outOfBounds')).toHaveLength(30);
    expect(await value()).toBe(0);
  });

  test('no bound is passed, and a step that would pass one is not applied in part', async () => {
    await createTableCounter(database, 'prizes', 0);
    const bounds = { floor: 0, ceiling: 10 };
    const add = (delta: number) => addWithinBounds(database, PRIZES, delta, bounds);
    expect(await add(-1)).toBe('outOfBounds');
    expect(await add(11)).toBe('outOfBounds');
    expect(await add(10)).toBe('applied');
    expect(await add(1)).toBe('outOfBounds');
    expect(await add(Number.MAX_SAFE_INTEGER)).toBe('outOfBounds');
    expect(await add(Number.MIN_SAFE_INTEGER)).toBe('outOfBounds');
    expect(await add(-10)).toBe('applied');
    expect(await value()).toBe(0);
    await expect(add(0.5)).rejects.toThrow(RangeError);
  });

  test('concurrent steps up and down lose nothing', async () => {
    await createTableCounter(database, 'prizes', 50);
    const steps = Array.from({ length: 60 }, (_, i) => (i % 2 ? 3 : -2));
    const outcomes = await Promise.all(
      steps.map((delta) => addWithinBounds(database, PRIZES, delta, { floor: 0, ceiling: 1_000 })),
    );
    expect(new Set(outcomes)).toEqual(new Set(['applied']));
    expect(await value()).toBe(80);
  });

  test('a step in a transaction is undone with it', async () => {
    await createTableCounter(database, 'prizes', 10);
    const failing = database.transaction(async (session) => {
      await addWithinBounds(session, PRIZES, -1, { floor: 0 });
      throw new Error('The order failed.');
    });
    await expect(failing).rejects.toThrow('The order failed.');
    expect(await value()).toBe(10);
  });

  test('a counter may be any integer column, and a missing row is not zero', async () => {
    await database.run('CREATE TABLE stock (warehouse INT, sku CHAR(4), quantity INT)');
    await database.run("INSERT INTO stock VALUES (1, 'sku1', 5), (2, 'sku1', 5)");
    const place = (warehouse: number) => ({
      table: 'stock',
      column: 'quantity',
      key: { warehouse, sku: 'sku1' },
    });
    expect(await addWithinBounds(database, place(1), -5, { floor: 0 })).toBe('applied');
    expect(await addWithinBounds(database, place(1), -1, { floor: 0 })).toBe('outOfBounds');
    expect(await addWithinBounds(database, place(3), -1, { floor: 0 })).toBe('missing');
    const rows = await database.rows<{ quantity: number }>('SELECT quantity FROM stock');
    expect(rows.map(({ quantity }) => quantity)).toEqual([0, 5]);
  });

  test('creating a counter that exists is an error, and changes nothing', async () => {
    await createTableCounter(database, 'prizes', 10);
    await expect(createTableCounter(database, 'prizes', 20)).rejects.toThrow();
    expect(await value()).toBe(10);
  });
});
