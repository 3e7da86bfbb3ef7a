import type { RaceNote } from './race-note';
import type { SqlSession, SqlValue } from './sql-database';

/** One row of a table with the columns customer, warehouse, sku, quantity, version. */
export interface StockRow {
  table: string;
  customer: string;
  warehouse: string;
  sku: string;
}

/** How a strategy that decides on the stock row itself sells from it. */
export interface Sale {
  /** Default 1. */
  quantity?: number;
  /** What the caller does between reading and writing. */
  think?: () => Promise<void>;
  /** Writes the order, in the transaction that takes the stock. */
  record?: (session: SqlSession) => Promise<void>;
  note?: RaceNote;
}

export const STOCK_KEY = 'customer = ? AND warehouse = ? AND sku = ?';

/** The parameters of `STOCK_KEY`. */
export const stockKey = ({ customer, warehouse, sku }: StockRow): SqlValue[] => [
  customer,
  warehouse,
  sku,
];

/** The row's current quantity and version; both 0 for an absent row. */
export async function readStock(
  session: SqlSession,
  row: StockRow,
): Promise<{ quantity: number; version: number }> {
  const [found] = await session.rows<{ quantity: number; version: number }>(
    `SELECT quantity, version FROM ${row.table} WHERE ${STOCK_KEY}`,
    stockKey(row),
  );
  return found
    ? { quantity: Number(found.quantity), version: Number(found.version) }
    : { quantity: 0, version: 0 };
}
