/*
 * A wrong way to deduct stock: check in memory, and subtract in SQL.
 *
 * The database does the subtraction, so none is lost; but the caller decides by an earlier reading
 * whether there is enough. Callers who read the last unit all pass the check, and all subtract: the
 * quantity falls below zero. The check belongs in the statement, as `WHERE quantity >= ?`.
 *
 * Source: catalogue, section F, second wrong way; a write-up on stock deduction.
 */
import type { SqlDatabase } from '../sql-database';
import { readStock, type Sale, STOCK_KEY, type StockRow, stockKey } from '../stock-row';

/** WRONG: oversells. False: sold out, as far as this caller has seen. */
export async function sellCheckedInMemory(
  database: SqlDatabase,
  row: StockRow,
  { quantity = 1, think, record }: Sale = {},
): Promise<boolean> {
  const stock = await readStock(database, row);
  if (stock.quantity < quantity) return false;
  await think?.();
  await database.transaction(async (session) => {
    await session.run(`UPDATE ${row.table} SET quantity = quantity - ? WHERE ${STOCK_KEY}`, [
      quantity,
      ...stockKey(row),
    ]);
    await record?.(session);
  });
  return true;
}
