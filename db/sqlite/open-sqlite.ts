import { type Client, LibsqlError, type ResultSet, type Transaction } from '@libsql/client/sqlite3';
import type { LibSQLDatabase } from 'drizzle-orm/libsql';
import { drizzle } from 'drizzle-orm/libsql/sqlite3';
import {
  type Database,
  type Db,
  type RawSql,
  type RawStatement,
  type RunSql,
  runEach,
  type SqlValue,
  type WriteResult,
} from '../database';
import { causes } from '../database-failure';
import { CASING, type Schema } from '../schema';
import { openSqliteFile, type SqliteFile } from './sqlite-file';
import * as tables from './sqlite-schema';

/** The control tables in a SQLite file. Writes of Drizzle and of the lock store share one queue. */
export async function openSqlite(path: string): Promise<Database> {
  return new SqliteDatabase(await openSqliteFile(path));
}

class SqliteDatabase implements Database {
  readonly kind = 'sqlite';
  readonly db: Db;
  readonly tables = tables as unknown as Schema;
  readonly raw: RawSql;
  private direct: { writer: Client; db: LibSQLDatabase } | null = null;

  constructor(readonly sqlite: SqliteFile) {
    const client = queuedClient(sqlite);
    this.db = drizzle({ client, casing: CASING }) as unknown as Db;
    this.raw = {
      ask: askOn(client),
      transaction: (work) => rawTransaction(sqlite, work),
      batch: (statements, isAside) =>
        isAside
          ? sqlite.writeAside(statements.map(textOf))
          : rawTransaction(sqlite, (ask) => runEach(ask, statements)),
    };
  }

  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    return this.sqlite.write((writer) =>
      this.on(writer).transaction((tx) => work(tx as unknown as Db)),
    );
  }

  private on(writer: Client): LibSQLDatabase {
    if (this.direct?.writer !== writer) {
      this.direct = { writer, db: drizzle({ client: writer, casing: CASING }) };
    }
    return this.direct.db;
  }

  /** A transaction is the only writer from its start. */
  forUpdate<Q>(query: Q): Q {
    return query;
  }

  isDuplicateKey(error: unknown): boolean {
    return causes(error).some(isDuplicate);
  }

  affectedRows(result: WriteResult): number {
    return (result as unknown as { rowsAffected: number }).rowsAffected;
  }

  close(): Promise<void> {
    return this.sqlite.close();
  }
}

/** The statement with its values inserted: scripts have no parameters. */
function textOf({ sql, values }: RawStatement): string {
  const [first = '', ...others] = sql.split('?');
  if (others.length !== values.length) throw new Error('A statement needs a value for each `?`.');
  return first + others.map((part, i) => literal(values[i] as SqlValue) + part).join('');
}

/** In an SQLite literal only a quote is special, but a script ends at the first NUL. */
function literal(value: SqlValue): string {
  if (typeof value === 'number') return String(value);
  if (value.includes('\0')) return `CAST(x'${Buffer.from(value).toString('hex')}' AS TEXT)`;
  return `'${value.replaceAll("'", "''")}'`;
}

function rawTransaction<T>({ write }: SqliteFile, work: (ask: RunSql) => Promise<T>): Promise<T> {
  return write(async (client) => {
    const transaction = await client.transaction('write');
    try {
      const answer = await work(askOn(transaction));
      await transaction.commit();
      return answer;
    } finally {
      transaction.close();
    }
  });
}

function askOn(client: Pick<Client | Transaction, 'execute'>): RawSql['ask'] {
  return async (sql, args) => {
    const { rows, rowsAffected }: ResultSet = await client.execute({ sql, args });
    return { rows: rows.map((row) => Array.from(row)), affected: rowsAffected };
  };
}

/** A client that runs plain selects immediately and queues everything else. */
function queuedClient({ client, write }: SqliteFile): Client {
  const isSelect = (statement: unknown) =>
    /^\s*select\b/i.test((statement as { sql?: string }).sql ?? String(statement));
  return new Proxy(client, {
    get(target, property) {
      if (property === 'execute') {
        return (statement: Parameters<Client['execute']>[0]) =>
          isSelect(statement)
            ? target.execute(statement)
            : write((direct) => direct.execute(statement));
      }
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

const isDuplicate = (error: unknown) =>
  error instanceof LibsqlError &&
  /^SQLITE_CONSTRAINT_(PRIMARYKEY|UNIQUE|ROWID)$/.test(error.extendedCode ?? error.code);
