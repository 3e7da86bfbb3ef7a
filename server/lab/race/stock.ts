import type { SqlDatabase, SqlSession } from '@/server/strategies/sql-database';
import { databaseOf } from '../scratch/scratch-names';
import type { RunPlace } from './entry-servers';

/** How an order ended. */
export type Confirmation = 'sold' | 'sold out';

/** What a buyer does between reading and writing. */
export type Think = () => Promise<void>;

/** The one row that is for sale. */
export const STOCK_KEY = { customer: 'acme', warehouse: 'north', sku: 'kettle' } as const;

const KEY_VALUES = Object.values(STOCK_KEY);
const WHERE_KEY = 'customer = ? AND warehouse = ? AND sku = ?';

/** The prefix of the stock's tables. The shards of a run use them from other databases. */
export const stockPrefix = ({ servers, runId }: RunPlace, prefix: string) =>
  servers.mysql ? `${databaseOf(runId)}.${prefix}` : prefix;

/**
 * One row of stock, and the order lines of what was sold. A unit counts as sold once its order line
 * is committed.
 */
export class Stock {
  readonly table: string;
  readonly orderLines: string;

  /** @param prefix the prefix of the names of both tables, which may name their database */
  constructor(
    private readonly database: SqlDatabase,
    prefix: string,
  ) {
    this.table = `${prefix}stock`;
    this.orderLines = `${prefix}order_lines`;
  }

  /** Creates both tables, and puts `quantity` units on sale. */
  async create(quantity: number): Promise<void> {
    const { database } = this;
    // With WAL, readers of the file do not block its writer.
    if (database.dialect === 'sqlite') await database.rows('PRAGMA journal_mode = wal');
    const id =
      database.dialect === 'mysql'
        ? 'id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY'
        : 'id INTEGER PRIMARY KEY AUTOINCREMENT';
    await database.run(
      `CREATE TABLE ${this.table} (
         customer VARCHAR(40) NOT NULL,
         warehouse VARCHAR(40) NOT NULL,
         sku VARCHAR(40) NOT NULL,
         quantity BIGINT NOT NULL,
         version BIGINT NOT NULL,
         guard_token BIGINT NOT NULL,
         PRIMARY KEY (customer, warehouse, sku)
       )`,
    );
    await database.run(
      `CREATE TABLE ${this.orderLines} (${id}, sku VARCHAR(40) NOT NULL, units INT NOT NULL)`,
    );
    await database.run(
      `INSERT INTO ${this.table} (customer, warehouse, sku, quantity, version, guard_token)
       VALUES (?, ?, ?, ?, 0, 0)`,
      [...KEY_VALUES, quantity],
    );
  }

  /**
   * Sells one unit like code that relies on a lock: reads the quantity, thinks, writes the
   * quantity less one. It does not notice other writers.
   *
   * @param session the transaction that holds a row lock; if omitted, the write has its own
   */
  async sellUnguarded(think: Think, session?: SqlSession): Promise<Confirmation> {
    const quantity = await this.quantity(session);
    if (quantity < 1) return 'sold out';
    await think();
    const write = async (on: SqlSession) => {
      await on.run(`UPDATE ${this.table} SET quantity = ? WHERE ${WHERE_KEY}`, [
        quantity - 1,
        ...KEY_VALUES,
      ]);
      await this.addOrderLine(on);
    };
    await (session ? write(session) : this.database.transaction(write));
    return 'sold';
  }

  /**
   * As `sellUnguarded`, with a fencing token: the row stores the token of its last writer, and the
   * write is accepted only if that token is still the one that was read, and lower than `token`.
   *
   * @returns `refused` if a later holder has written
   */
  async sellGuarded(token: number, think: Think): Promise<Confirmation | 'refused'> {
    const [row] = await this.database.rows<{ quantity: number; guard_token: number }>(
      `SELECT quantity, guard_token FROM ${this.table} WHERE ${WHERE_KEY}`,
      KEY_VALUES,
    );
    const quantity = Number(row?.quantity);
    if (quantity < 1) return 'sold out';
    await think();
    return this.database.transaction(async (session) => {
      const written = await session.run(
        `UPDATE ${this.table} SET quantity = ?, guard_token = ?
         WHERE ${WHERE_KEY} AND guard_token = ? AND guard_token < ?`,
        [quantity - 1, token, ...KEY_VALUES, Number(row?.guard_token), token],
      );
      if (written === 0) return 'refused';
      await this.addOrderLine(session);
      return 'sold';
    });
  }

  async addOrderLine(session: SqlSession = this.database): Promise<void> {
    await session.run(`INSERT INTO ${this.orderLines} (sku, units) VALUES (?, 1)`, [STOCK_KEY.sku]);
  }

  /** Units that were sold: the sum of the committed order lines. */
  async sold(): Promise<number> {
    const [row] = await this.database.rows<{ sold: number | string | null }>(
      `SELECT SUM(units) AS sold FROM ${this.orderLines}`,
    );
    return Number(row?.sold ?? 0);
  }

  /** The quantity in the row; below zero if SQL subtracted more than there was. */
  async quantity(session: SqlSession = this.database): Promise<number> {
    const [row] = await session.rows<{ quantity: number | string }>(
      `SELECT quantity FROM ${this.table} WHERE ${WHERE_KEY}`,
      KEY_VALUES,
    );
    return Number(row?.quantity);
  }
}
