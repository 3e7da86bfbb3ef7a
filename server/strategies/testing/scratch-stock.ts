import type { SqlDatabase, SqlDialect, SqlSession } from '../sql-database';
import { readStock, type StockRow } from '../stock-row';
import { openScratchSql } from './scratch-sql';

/** A stock row, and the orders for it. */
export interface ScratchStock {
  database: SqlDatabase;
  row: StockRow;
  /** Writes an order. */
  record(session: SqlSession): Promise<void>;
  /** How many orders are committed. */
  sold(): Promise<number>;
  left(): Promise<number>;
  /** Runs callers that each sell until they are refused. */
  sellOut(callers: number, sell: () => Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}

export async function openScratchStock(
  dialect: SqlDialect,
  quantity: number,
): Promise<ScratchStock> {
  const { database, close } = await openScratchSql[dialect]();
  const row = { table: 'stock', customer: 'acme', warehouse: 'north', sku: 'A-1' };
  await database.run(
    `CREATE TABLE stock (
       customer VARCHAR(64) NOT NULL, warehouse VARCHAR(64) NOT NULL, sku VARCHAR(64) NOT NULL,
       quantity BIGINT NOT NULL, version BIGINT NOT NULL, PRIMARY KEY (customer, warehouse, sku)
     )`,
  );
  await database.run("INSERT INTO stock VALUES ('acme', 'north', 'A-1', ?, 0)", [quantity]);
  const id = { mysql: 'BIGINT PRIMARY KEY AUTO_INCREMENT', sqlite: 'INTEGER PRIMARY KEY' };
  await database.run(`CREATE TABLE order_lines (id ${id[dialect]}, quantity INT NOT NULL)`);
  return {
    database,
    row,
    async record(session) {
      await session.run('INSERT INTO order_lines (quantity) VALUES (1)');
    },
    async sold() {
      const [counted] = await database.rows<{ sold: number }>(
        'SELECT COUNT(*) AS sold FROM order_lines',
      );
      return Number(counted?.sold);
    },
    left: async () => (await readStock(database, row)).quantity,
    async sellOut(callers, sell) {
      const caller = async () => {
        while (await sell());
      };
      await Promise.all(Array.from({ length: callers }, caller));
    },
    close,
  };
}
