import { and, or, type SQL } from 'drizzle-orm';
import type { MySqlTable, MySqlUpdateSetSource } from 'drizzle-orm/mysql-core';
import type { MySql2Database } from 'drizzle-orm/mysql2';
import type { Schema } from './schema';
import type { SqliteFile } from './sqlite/sqlite-file';

/**
 * An open database of either dialect.
 *
 * Rejects with the driver's errors, wrapped by Drizzle. `databaseFailure` recognises those that
 * mean that the database is not responding. Every call answers or fails within 5 s.
 */
export interface Database {
  readonly kind: 'sqlite' | 'mysql';
  readonly db: Db;
  readonly tables: Schema;
  /**
   * Runs `work` in one transaction: all of it or nothing. After a deadlock, or if a row has changed
   * since it was read, it is rolled back and may be run again, so `work` must have no effects
   * outside `tx`. It must not use `db`: on SQLite that would wait for itself.
   */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  readonly raw: RawSql;
  /** In a transaction: reads the latest committed rows and locks them until its end. */
  forUpdate<Q>(query: Q): Q;
  /** Whether a write failed because another row has the same key. */
  isDuplicateKey(error: unknown): boolean;
  /** How many rows a write matched, changed or not. */
  affectedRows(result: WriteResult): number;
  /** The file and its write queue; only on SQLite. */
  readonly sqlite?: SqliteFile;
  /** For code that needs its own connections; only on MySQL. Contains the password. */
  readonly mysqlUrl?: string;
  close(): Promise<void>;
}

/** An expression for the clock of a database, in epoch milliseconds, as an integer. */
export const DATABASE_CLOCK = {
  mysql: 'CAST(UNIX_TIMESTAMP(SYSDATE(3)) * 1000 AS SIGNED)',
  sqlite: "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
} as const;

/** The clock of a database now, in epoch milliseconds. */
export async function databaseNow({ raw, kind }: Pick<Database, 'raw' | 'kind'>): Promise<number> {
  const { rows } = await raw.ask(`SELECT ${DATABASE_CLOCK[kind]}`, []);
  return Number(rows[0]?.[0]);
}

/** The condition that all of these hold; never undefined, as of `and`, which matches all rows. */
export function allOf(first: SQL, ...others: (SQL | undefined)[]): SQL {
  return and(first, ...others) as SQL;
}

/** The condition that one of these holds. Unlike `or` never undefined. */
export function anyOf(first: SQL, ...others: SQL[]): SQL {
  return or(first, ...others) as SQL;
}

/** A value for a `?`. */
export type SqlValue = string | number;

/** The result of a statement: rows as arrays, with texts as strings; or how many rows matched. */
export interface RawResult {
  rows: unknown[][];
  affected: number;
}

/** Runs one statement. Each `?` takes the next value. */
export type RunSql = (sql: string, values: SqlValue[]) => Promise<RawResult>;

/** A statement that returns nothing. */
export interface RawStatement {
  /** Each `?` takes the next value. If there are values, no literal may contain a `?`. */
  sql: string;
  values: SqlValue[];
}

/** Runs statements one after another. */
export async function runEach(ask: RunSql, statements: readonly RawStatement[]): Promise<void> {
  for (const { sql, values } of statements) await ask(sql, values);
}

/** Hand-written SQL, for frequent statements. Fails like every other call of the database. */
export interface RawSql {
  ask: RunSql;
  /**
   * Runs `work` in one transaction: all of it or nothing. After a deadlock, or if a row has changed
   * since it was read, it is rolled back and may be run again, so `work` must have no effects
   * outside its own `ask`.
   */
  transaction<T>(work: (ask: RunSql) => Promise<T>): Promise<T>;
  /**
   * Runs statements in one transaction: all of them or nothing.
   *
   * @param isAside whether to run them off the event loop, on SQLite: other writes wait longer
   */
  batch(statements: readonly RawStatement[], isAside: boolean): Promise<void>;
}

/** The result of a write. Only `Database.affectedRows` reads it. */
export type WriteResult = { readonly written: unique symbol };

/**
 * The queries that both dialects have in common, typed as the more limited one. Anything else needs
 * a function of `Database`. Each query is one statement; those that belong together need
 * `Database.transaction`.
 */
export type Db = Pick<
  MySql2Database<Record<string, never>>,
  'select' | 'selectDistinct' | '$count'
> & {
  insert<T extends MySqlTable>(
    table: T,
  ): { values(rows: T['$inferInsert'] | T['$inferInsert'][]): Promise<WriteResult> };
  update<T extends MySqlTable>(
    table: T,
  ): { set(values: MySqlUpdateSetSource<T>): { where(which: SQL): Promise<WriteResult> } };
  delete<T extends MySqlTable>(table: T): { where(which: SQL): Promise<WriteResult> };
};
