import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NotGranted } from '../not-granted';
import { openScratchStock, type ScratchStock } from '../testing/scratch-stock';
import { sellByVersion } from './optimistic-version';

const STOCK = 20;

describe.each(['mysql', 'sqlite'] as const)('19, on %s', (dialect) => {
  let stock: ScratchStock;
  beforeEach(async () => {
    stock = await openScratchStock(dialect, STOCK);
  });
  afterEach(() => stock?.close());

  test('sells all of the stock and no more, with conflicts', async () => {
    const { database, row, record } = stock;
    let conflicts = 0;
    const note = (what: string) => {
      if (what === 'conflict') conflicts += 1;
    };
    await stock.sellOut(8, () => sellByVersion(database, row, { record, note }));
    expect([await stock.sold(), await stock.left()]).toEqual([STOCK, 0]);
    expect(conflicts).toBeGreaterThan(0);
  });

  test('gives up after a bounded number of conflicts, having sold nothing', async () => {
    const { database, row, record } = stock;
    let tries = 0;
    const think = async () => {
      tries += 1;
      await database.run('UPDATE stock SET version = version + 1');
    };
    const sale = sellByVersion(database, row, { record, think, retries: 3 });
    await expect(sale).rejects.toThrow(NotGranted);
    expect([tries, await stock.sold(), await stock.left()]).toEqual([4, 0, STOCK]);
  });

  test('a failed order takes no stock', async () => {
    const { database, row } = stock;
    const record = () => Promise.reject(new Error('No such customer.'));
    await expect(sellByVersion(database, row, { record })).rejects.toThrow('No such customer.');
    expect(await stock.left()).toBe(STOCK);
  });
});
