import type { Db, WriteResult } from './narrow-db';
import type { RawSql } from './raw-sql';
import type { Schema } from './schema';
import type { SqliteFile } from './sqlite/sqlite-file';

/**
 * One open database of either dialect.
 *
 * Errors: the driver's own, wrapped by Drizzle. `databaseFailure` tells which of them mean that the database is away.
 * Every call answers or fails within 5 s.
 */
export interface Database {
  readonly kind: 'sqlite' | 'mysql';
  readonly db: Db;
  readonly tables: Schema;
  /**
   * Runs `work` in one transaction: all of it or nothing. After a deadlock it is rolled back and run again, so `work`
   * must touch nothing but `tx`. It must not use `db`: on SQLite that would wait for itself.
   */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  readonly raw: RawSql;
  /** Within a transaction: reads what is committed now and keeps others from changing it until the end. */
  forUpdate<Q>(query: Q): Q;
  /** Whether a write failed because another row has its key. */
  isDuplicateKey(error: unknown): boolean;
  /** How many rows a write matched, changed or not. */
  affectedRows(result: WriteResult): number;
  /** The file and its write queue; only on SQLite. */
  readonly sqlite?: SqliteFile;
  /** For whoever needs connections of its own; only on MySQL. Holds the password. */
  readonly mysqlUrl?: string;
  close(): Promise<void>;
}
