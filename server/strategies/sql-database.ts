export type SqlDialect = 'mysql' | 'sqlite';

export type SqlValue = string | number | null;

/** One connection or transaction. Parameters replace `?`; numbers are exact up to 2^53. */
export interface SqlSession {
  readonly dialect: SqlDialect;
  rows<Row extends object>(sql: string, params?: SqlValue[]): Promise<Row[]>;
  /** Returns how many rows the statement matched and wrote, changed by it or not. */
  run(sql: string, params?: SqlValue[]): Promise<number>;
}

/**
 * A database for the strategies that run on both MySQL and SQLite: statements that commit on their
 * own, and transactions.
 */
export interface SqlDatabase extends SqlSession {
  /**
   * Commits if the work resolves, rolls back and passes its error on if it rejects. The work uses
   * the session that it is given, never the database, which may be another connection.
   */
  transaction<T>(work: (session: SqlSession) => Promise<T>): Promise<T>;
}

/** The database's own clock, in UTC: clocks of callers differ, time zones change twice a year. */
export const UTC_NOW: Record<SqlDialect, string> = {
  mysql: 'UTC_TIMESTAMP(6)',
  sqlite: "strftime('%Y-%m-%d %H:%M:%f', 'now')",
};
