import { setImmediate } from 'node:timers/promises';
import type { Pool, PoolConnection, ResultSetHeader, RowDataPacket } from 'mysql2/promise';

const CALLERS = 8;

/** Sells one unit under a lock, through the connection that holds it or through the pool. */
export type Sell = (through: Pool | PoolConnection) => Promise<boolean>;

/**
 * Runs callers that sell a stock until it is sold out: read the quantity, let others run, write it
 * back, write an order line. Only a lock that excludes the others sells no more than there is.
 *
 * @returns the number of order lines written
 */
export async function sellUnguarded(
  pool: Pool,
  stock: number,
  underLock: (sell: Sell) => Promise<boolean>,
): Promise<number> {
  await pool.query('CREATE TABLE stock (id INT NOT NULL PRIMARY KEY, quantity INT NOT NULL)');
  await pool.query('CREATE TABLE order_lines (id INT AUTO_INCREMENT PRIMARY KEY)');
  await pool.execute('INSERT INTO stock VALUES (1, ?)', [stock]);
  const sell: Sell = async (through) => {
    const [rows] = await through.execute<RowDataPacket[]>('SELECT quantity FROM stock');
    const quantity: number = rows[0]?.quantity;
    if (quantity < 1) return false;
    await setImmediate();
    await through.execute<ResultSetHeader>('UPDATE stock SET quantity = ?', [quantity - 1]);
    await through.execute('INSERT INTO order_lines VALUES ()');
    return true;
  };
  const caller = async () => {
    while (await underLock(sell));
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  const [lines] = await pool.query<RowDataPacket[]>('SELECT COUNT(*) AS sold FROM order_lines');
  return lines[0]?.sold;
}
