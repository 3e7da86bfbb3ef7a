import { setTimeout } from 'node:timers/promises';
import { drizzle } from 'drizzle-orm/mysql2';
import type { Pool, PoolConnection, ResultSetHeader } from 'mysql2/promise';
import { DatabaseUnusable } from '../../server/platform/start-error';
import {
  type Database,
  type Db,
  type RawResult,
  type RawSql,
  type RunSql,
  runEach,
  type WriteResult,
} from '../database';
import { CommitUnknown } from '../database-failure';
import { CASING, type Schema } from '../schema';
import { tlsFailure } from '../tls-failure';
import { describeBackendUrl } from '../urls/backend-url';
import { CONFLICTS, hasErrno, REFUSED_COMMITS } from './mysql-errors';
import { type Borrow, DeadlinePool } from './mysql-pool';
import * as tables from './mysql-schema';

const DUPLICATE_KEY = 1062;
const CONFLICT_TRIES = 10;
const CONFLICT_PAUSE_MAX_MS = 20;

/** The control tables in MySQL or MariaDB. */
export async function openMysql(url: string): Promise<Database> {
  const pool = new DeadlinePool(url);
  await probe(pool, url);
  return new MysqlDatabase(pool, url);
}

class MysqlDatabase implements Database {
  readonly kind = 'mysql';
  readonly db: Db;
  readonly tables: Schema = tables;
  readonly raw: RawSql;

  constructor(
    private readonly pool: DeadlinePool,
    readonly mysqlUrl: string,
  ) {
    this.db = drizzleOn(pool as unknown as Pool);
    this.raw = {
      ask: (sql, values) => pool.borrow((connection) => askOn(connection)(sql, values)),
      transaction: (work) => transaction(pool, (connection) => work(askOn(connection))),
      batch: (statements) =>
        transaction(pool, (connection) => runEach(askOn(connection), statements)),
    };
  }

  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    return transaction(this.pool, (connection) => work(drizzleOn(connection)));
  }

  forUpdate<Q>(query: Q): Q {
    return (query as { for(strength: 'update'): Q }).for('update');
  }

  isDuplicateKey(error: unknown): boolean {
    return hasErrno(error, DUPLICATE_KEY);
  }

  affectedRows(result: WriteResult): number {
    return (result as unknown as [ResultSetHeader])[0].affectedRows;
  }

  close(): Promise<void> {
    return this.pool.close();
  }
}

/** Why a server cannot be reached, by the code of the error. */
const UNREACHABLE: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'its host name has no address',
  EAI_AGAIN: 'its host name cannot be looked up now',
  ETIMEDOUT: 'it does not respond',
  EHOSTUNREACH: 'its host cannot be reached from here',
  ENETUNREACH: 'its host cannot be reached from here',
};

async function probe(pool: DeadlinePool, url: string): Promise<void> {
  try {
    await pool.query({ sql: 'select 1' });
  } catch (cause) {
    await pool.close();
    const { code = '', message } = cause as { code?: string; message?: string };
    const why = tlsFailure(cause) ?? UNREACHABLE[code] ?? (message?.split('\n')[0] || code);
    const place = describeBackendUrl({ kind: 'mysql', url });
    throw new DatabaseUnusable(`${place} cannot be used: ${why}.`, { cause });
  }
}

type Work<T> = (connection: PoolConnection) => Promise<T>;

function transaction<T>(pool: DeadlinePool, work: Work<T>): Promise<T> {
  return pool.inOneLimit((borrow) => commitWork(borrow, work));
}

/** Runs `work` in a transaction, again after each conflict. */
async function commitWork<T>(borrow: Borrow, work: Work<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    let isCommitting = false;
    try {
      return await borrow(async (connection) => {
        const answer = await begin(connection, work);
        isCommitting = true;
        await orRollBack(connection, connection.query('commit'));
        return answer;
      });
    } catch (error) {
      const isUnknown = isCommitting && !hasErrno(error, ...REFUSED_COMMITS);
      if (isUnknown) throw new CommitUnknown('No answer to the commit.', { cause: error });
      if (!hasErrno(error, ...CONFLICTS) || attempt === CONFLICT_TRIES) throw error;
      // A random pause: otherwise the same transactions would conflict again.
      await setTimeout(Math.random() * CONFLICT_PAUSE_MAX_MS * attempt);
    }
  }
}

async function begin<T>(connection: PoolConnection, work: Work<T>): Promise<T> {
  await connection.query('begin');
  return orRollBack(connection, work(connection));
}

async function orRollBack<T>(connection: PoolConnection, step: Promise<T>): Promise<T> {
  try {
    return await step;
  } catch (error) {
    await connection.query('rollback').catch(() => connection.destroy());
    throw error;
  }
}

function drizzleOn(client: Pool | PoolConnection): Db {
  return drizzle({ client, casing: CASING }) as unknown as Db;
}

/** The server stores names as bytes, and returns them as bytes. */
function askOn(connection: PoolConnection): RunSql {
  return async (sql, values): Promise<RawResult> => {
    const [answer] = await connection.query({ sql, rowsAsArray: true }, values);
    if (!Array.isArray(answer)) {
      return { rows: [], affected: (answer as ResultSetHeader).affectedRows };
    }
    const rows = answer as unknown as unknown[][];
    return { rows: rows.map((row) => row.map(textOf)), affected: 0 };
  };
}

const textOf = (value: unknown) => (Buffer.isBuffer(value) ? value.toString('utf8') : value);
