import { type Client, LibsqlError, type ResultSet, type Transaction } from '@libsql/client';
import { drizzle } from 'drizzle-orm/libsql';
import type { Database, Db, RawSql, RunSql } from '../database';
import { causes } from '../database-failure';
import { CASING, type Schema } from '../schema';
import { openSqliteFile, type SqliteFile } from './sqlite-file';
import * as tables from './sqlite-schema';

/** The control tables in a SQLite file. Writes of Drizzle and of the lock store share one queue. */
export async function openSqlite(path: string): Promise<Database> {
  const sqlite = await openSqliteFile(path);
  const client = queuedClient(sqlite);
  const queued = drizzle({ client, casing: CASING });
  const direct = drizzle({ client: sqlite.client, casing: CASING });
  return {
    kind: 'sqlite',
    db: queued as unknown as Db,
    tables: tables as unknown as Schema,
    transaction: (work) =>
      sqlite.write(() => direct.transaction((tx) => work(tx as unknown as Db))),
    raw: { ask: askOn(client), transaction: (work) => rawTransaction(sqlite, work) },
    // A transaction is the only writer from its start.
    forUpdate: (query) => query,
    isDuplicateKey: (error) => causes(error).some(isDuplicate),
    affectedRows: (result) => (result as unknown as { rowsAffected: number }).rowsAffected,
    sqlite,
    close: () => sqlite.close(),
  };
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

/** A client that runs plain selects at once and queues everything else. */
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
