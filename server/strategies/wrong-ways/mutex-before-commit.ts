/*
 * A wrong way to deduct stock: a mutex of the process that is released before the commit.
 *
 * The method that reads, checks and computes is guarded, so that it looks safe. But the transaction
 * ends outside the method: the framework that began it commits after the method has returned, and
 * its object mapper writes at the commit. The next caller has the mutex by then, and reads the old
 * quantity. The mutex must be held until the commit has returned. Even then it protects only one
 * process: a second instance of the service has a mutex of its own.
 *
 * Source: catalogue, section F, third wrong way; a write-up on stock deduction.
 */
import { SerialQueue } from '@/server/platform/serial-queue';
import type { SqlDatabase } from '../sql-database';
import { readStock, type Sale, STOCK_KEY, type StockRow, stockKey } from '../stock-row';

/** One stock row, sold by one process behind a mutex that protects too little. */
export class StockBehindMutex {
  private readonly mutex = new SerialQueue();

  constructor(
    private readonly database: SqlDatabase,
    private readonly row: StockRow,
  ) {}

  /** WRONG: oversells. False: sold out, as far as this caller has seen. */
  async sell({ quantity = 1, think, record }: Sale = {}): Promise<boolean> {
    const left = await this.mutex.run(async () => {
      const stock = await readStock(this.database, this.row);
      return stock.quantity - quantity;
    });
    if (left < 0) return false;
    // Here the mutex is free, and nothing is written: the next caller reads the same quantity.
    await think?.();
    await this.database.transaction(async (session) => {
      await session.run(`UPDATE ${this.row.table} SET quantity = ? WHERE ${STOCK_KEY}`, [
        left,
        ...stockKey(this.row),
      ]);
      await record?.(session);
    });
    return true;
  }
}
