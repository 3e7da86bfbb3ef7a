import type { Db, WriteResult } from './narrow-db';
import type { RawSql } from './raw-sql';
import type { Schema } from './schema';
import type { SqliteFile } from './sqlite/sqlite-file';

/**
 * An open database of either dialect.
 *
 * Rejects with the driver's errors, wrapped by Drizzle. `databaseFailure` tells which of them mean
 * that the database is not responding. Every call answers or fails within 5 s.
 */
export interface Database {
  readonly kind: 'sqlite' | 'mysql';
  readonly db: Db;
  readonly tables: Schema;
  /**
   * Runs `work` in one transaction: all of it or nothing. After a deadlock it is rolled back and
   * run again, so `work` must have no effects outside `tx`. It must not use `db`: on SQLite that
   * would wait for itself.
   */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  readonly raw: RawSql;
  /**
   * In a transaction: reads the latest committed rows and locks them until the transaction ends.
   */
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
