import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Sale } from '../stock-row';
import { openScratchStock, type ScratchStock } from '../testing/scratch-stock';
import { sellCheckedInMemory } from './checked-in-memory';
import { StockBehindMutex } from './mutex-before-commit';
import { sellByValueWrittenBack } from './value-written-back';

const STOCK = 10;
const CALLERS = 20;

type Seller = (stock: ScratchStock) => (sale: Sale) => Promise<boolean>;

const wrongWays: Record<string, Seller> = {
  'the value written back':
    ({ database, row }) =>
    (sale) =>
      sellByValueWrittenBack(database, row, sale),
  'checked in memory':
    ({ database, row }) =>
    (sale) =>
      sellCheckedInMemory(database, row, sale),
  'a mutex let go before the commit': ({ database, row }) => {
    const behindMutex = new StockBehindMutex(database, row);
    return (sale) => behindMutex.sell(sale);
  },
};

/** A pause of a sale: in the first one, every caller reads the stock before one of them writes. */
function untilAllHaveRead(): () => Promise<void> {
  let reads = 0;
  let proceed = () => {};
  const allHaveRead = new Promise<void>((resolve) => {
    proceed = resolve;
  });
  return () => {
    reads += 1;
    if (reads === CALLERS) proceed();
    return allHaveRead;
  };
}

describe.each(['mysql', 'sqlite'] as const)('on %s', (dialect) => {
  let stock: ScratchStock;
  beforeEach(async () => {
    stock = await openScratchStock(dialect, STOCK);
  });
  afterEach(() => stock?.close());

  test.each(Object.entries(wrongWays))('%s oversells', async (_, open) => {
    const sell = open(stock);
    const think = untilAllHaveRead();
    await stock.sellOut(CALLERS, () => sell({ think, record: stock.record }));
    expect(await stock.sold()).toBeGreaterThan(STOCK);
  });

  test('a subtraction in SQL falls below zero, while a value written back hides that', async () => {
    const { database, row } = stock;
    let think = untilAllHaveRead();
    await stock.sellOut(CALLERS, () => sellCheckedInMemory(database, row, { think }));
    expect(await stock.left()).toBeLessThan(0);
    await database.run('UPDATE stock SET quantity = ?', [STOCK]);
    think = untilAllHaveRead();
    await stock.sellOut(CALLERS, () => sellByValueWrittenBack(database, row, { think }));
    expect(await stock.left()).toBeGreaterThanOrEqual(0);
  });

  test.each(Object.entries(wrongWays))('%s does not for one caller alone', async (_, open) => {
    const sell = open(stock);
    await stock.sellOut(1, () => sell({ record: stock.record }));
    expect([await stock.sold(), await stock.left()]).toEqual([STOCK, 0]);
  });
});
