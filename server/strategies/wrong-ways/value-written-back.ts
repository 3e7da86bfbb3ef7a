/*
 * A wrong way to deduct stock: compute in memory, and write the value back.
 *
 * The caller reads the quantity, checks it, subtracts in memory, and writes the result. Of two
 * callers who read the same quantity, the second overwrites what the first wrote: both have sold,
 * and the stock fell once. The row never falls below zero, so nothing looks wrong until the orders
 * are counted. A transaction around it does not help: a plain SELECT locks nothing.
 *
 * Source: catalogue, section F, first wrong way; a write-up on stock deduction.
 */
import type { SqlDatabase } from '../sql-database';
import { readStock, type Sale, STOCK_KEY, type StockRow, stockKey } from '../stock-row';

/** WRONG: oversells. False: sold out, as far as this caller has seen. */
export async function sellByValueWrittenBack(
  database: SqlDatabase,
  row: StockRow,
  { quantity = 1, think, record }: Sale = {},
): Promise<boolean> {
  const stock = await readStock(database, row);
  if (stock.quantity < quantity) return false;
  await think?.();
  await database.transaction(async (session) => {
    await session.run(`UPDATE ${row.table} SET quantity = ? WHERE ${STOCK_KEY}`, [
      stock.quantity - quantity,
      ...stockKey(row),
    ]);
    await record?.(session);
  });
  return true;
}
