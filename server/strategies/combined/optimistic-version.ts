/*
 * Strategy 19: an optimistic version column.
 *
 * The caller reads quantity and version without any lock, thinks for as long as it likes, and
 * writes only if the version is still the one that it has read: `UPDATE … WHERE version = seen`.
 * Every write adds 1 to the version. So 0 changed rows mean that another caller was faster: a
 * conflict. The caller then starts again from the current row, a bounded number of times, after a
 * short random pause.
 *
 * Known limits: under contention most of the work is discarded, more of it with every additional
 * caller. A caller may lose every time, and finally gives up although there is stock. What the work
 * does outside the database is repeated in each attempt. Writers are safe from one another only if
 * all of them check the version.
 *
 * Source: catalogue, section E, strategy 19; write-ups on stock deduction.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { NotGranted } from '../not-granted';
import type { SqlDatabase } from '../sql-database';
import { readStock, type Sale, STOCK_KEY, type StockRow, stockKey } from '../stock-row';

export interface OptimisticSale extends Sale {
  /** How many times it is retried after a conflict. Default 100. */
  retries?: number;
}

const RETRIES = 100;
const LONGEST_PAUSE_MS = 20;

/** False: sold out. Rejects with `NotGranted`, having sold nothing, after too many conflicts. */
export async function sellByVersion(
  database: SqlDatabase,
  row: StockRow,
  { quantity = 1, think, record, note, retries = RETRIES }: OptimisticSale = {},
): Promise<boolean> {
  for (let i = 0; i <= retries; i += 1) {
    const seen = await readStock(database, row);
    if (seen.quantity < quantity) return false;
    await think?.();
    const isWritten = await database.transaction(async (session) => {
      const written = await session.run(
        `UPDATE ${row.table} SET quantity = ?, version = version + 1
         WHERE ${STOCK_KEY} AND version = ?`,
        [seen.quantity - quantity, ...stockKey(row), seen.version],
      );
      if (written === 1) await record?.(session);
      return written === 1;
    });
    if (isWritten) return true;
    note?.('conflict');
    if (i < retries) note?.('retry');
    await pause(Math.random() * Math.min(LONGEST_PAUSE_MS, 2 ** i));
  }
  throw new NotGranted(row.sku, `it was changed by others ${retries + 1} times`);
}
