import {
  type Connection,
  createConnection,
  createPool,
  format,
  type Pool,
  type PoolConnection,
  type PoolOptions,
  type QueryOptions,
} from 'mysql2/promise';
import { TimeLimit } from '../../server/platform/time-limit';
import { DatabaseTimeout } from '../database-failure';
import { ConnectionTurns } from './connection-turns';
import { hasErrno, READ_ONLY } from './mysql-errors';
import { KEEP_ALIVE_MS, mysqlTls } from './mysql-tls';
import { OWN_SESSION } from './own-session';

/** The time limit for one statement or one whole transaction, with all waiting and repeating. */
const DATABASE_BUDGET_MS = 4_500;

/**
 * The settings that every connection of a pool relies on. Those after `OWN_SESSION`: no statement
 * waits for a row or a table for long after its caller has given up, and a transaction reads what
 * was committed when it began to read.
 */
const SESSION = [
  OWN_SESSION,
  'SET innodb_lock_wait_timeout = 4, lock_wait_timeout = 4',
  'SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ',
];

const CONNECT_MAX_MS = 2_000;
const CONNECTIONS = 10;
const TIME_ZONE = 'Z';

/** Lends a connection until `use` ends. */
export type Borrow = <T>(use: (connection: PoolConnection) => Promise<T>) => Promise<T>;

/** The options of every MySQL connection. Affected rows count matches: the driver's default. */
export function connectionOptions(url: string): PoolOptions {
  return {
    uri: url,
    ...mysqlTls(url),
    connectTimeout: CONNECT_MAX_MS,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
    timezone: TIME_ZONE,
    charset: 'utf8mb4',
    supportBigNumbers: true,
    bigNumberStrings: false,
    queryFormat: fill,
  };
}

/**
 * A connection outside any pool, with `OWN_SESSION`. If it breaks, the statement under way fails,
 * or else the next one; without a listener for errors the process would end between statements.
 */
export async function connectAlone(url: string): Promise<Connection> {
  const connection = await createConnection(connectionOptions(url));
  connection.on('error', () => undefined);
  try {
    await connection.query(OWN_SESSION);
  } catch (error) {
    connection.destroy();
    throw error;
  }
  return connection;
}

/** Inserts values for the placeholders. The driver would search for these even without values. */
function fill(sql: string, values: Parameters<typeof format>[1] & unknown[]): string {
  return values.length === 0 ? sql : format(sql, values, false, TIME_ZONE);
}

/**
 * A pool whose statements answer or fail within the time limit. A connection that exceeded it is
 * destroyed and never reused: the next caller could receive its late answer. Once a server has
 * refused a write as read-only, no connection is reused: the URL may lead to another server by now,
 * and reads from the old one may be stale.
 */
export class DeadlinePool {
  private readonly pool: Pool;
  private readonly turns = new ConnectionTurns(CONNECTIONS);
  /** The connections that have the settings of `SESSION`. */
  private readonly prepared = new WeakSet<object>();
  /** The generation in which each connection began to open. */
  private readonly openedIn = new WeakMap<object, number>();
  /** Rises when a server refuses a write as read-only. */
  private generation = 0;

  constructor(url: string) {
    this.pool = createPool({ ...connectionOptions(url), connectionLimit: CONNECTIONS });
  }

  /** The only method that Drizzle calls on a client outside transactions. */
  query = (options: QueryOptions, values?: unknown[]) =>
    this.borrow((connection) => connection.query(options, values));

  /** Lends a connection until `use` ends, or until the time limit. */
  borrow: Borrow = (use) => this.inOneLimit((borrow) => borrow(use));

  /** Runs work that may borrow a connection several times, all within one time limit. */
  async inOneLimit<T>(work: (borrow: Borrow) => Promise<T>): Promise<T> {
    const budget = new TimeLimit(DATABASE_BUDGET_MS, timeout);
    try {
      return await work(async (use) => {
        await this.turns.take(budget);
        return this.lend(budget, use);
      });
    } finally {
      budget.stop();
    }
  }

  /** The turn ends when the connection is returned, or could not be opened, however late. */
  private async lend<T>(
    budget: TimeLimit,
    use: (connection: PoolConnection) => Promise<T>,
  ): Promise<T> {
    const endTurn = () => this.turns.end();
    const opening = this.connection(budget);
    const connection = await budget.race(opening).catch((error) => {
      opening.then(endTurn, endTurn);
      throw error;
    });
    try {
      const answer = await budget.race(this.prepare(connection).then(() => use(connection)));
      connection.release();
      return answer;
    } catch (error) {
      const isReadOnly = hasErrno(error, ...READ_ONLY);
      if (isReadOnly) this.generation += 1;
      if (budget.isOver || isFatal(error) || isReadOnly) connection.destroy();
      else connection.release();
      throw error;
    } finally {
      endTurn();
    }
  }

  /** Never rejects: a connection that is being opened to a silent server fails meanwhile. */
  close(): Promise<void> {
    return this.pool.end().catch(() => undefined);
  }

  private async prepare(borrowed: PoolConnection): Promise<void> {
    const { connection } = borrowed;
    if (this.prepared.has(connection)) return;
    for (const setting of SESSION) await borrowed.query(setting);
    this.prepared.add(connection);
  }

  /** A connection that is only available after the time limit is returned immediately. */
  private async connection(budget: TimeLimit): Promise<PoolConnection> {
    for (;;) {
      const { generation } = this;
      const borrowed = await this.pool.getConnection().catch(refuse);
      // The pool gives a new connection to the call that opened it.
      const openedIn = this.openedIn.get(borrowed.connection) ?? generation;
      this.openedIn.set(borrowed.connection, openedIn);
      const isCurrent = openedIn === this.generation;
      if (isCurrent && budget.isOver) borrowed.release();
      if (isCurrent) return borrowed;
      borrowed.destroy();
    }
  }
}

const timeout = () =>
  new DatabaseTimeout(`The database did not answer within ${DATABASE_BUDGET_MS} ms.`);

/** A connection that is refused is of no use, whatever the reason: the driver does not say so. */
function refuse(error: object): never {
  throw Object.assign(error, { fatal: true });
}

const isFatal = (error: unknown) =>
  typeof error === 'object' && error !== null && 'fatal' in error && error.fatal === true;
