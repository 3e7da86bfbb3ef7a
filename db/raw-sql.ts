/** A value for a `?`. */
export type SqlValue = string | number;

/**
 * The result of a statement: rows as arrays, with texts as strings whatever their column type; or
 * the number of matched rows.
 */
export interface RawResult {
  rows: unknown[][];
  affected: number;
}

/** Runs one statement. Each `?` takes the next value. */
export type RunSql = (sql: string, values: SqlValue[]) => Promise<RawResult>;

/**
 * Hand-written SQL, for statements too frequent for the query builder. Fails like every other call
 * of the database.
 */
export interface RawSql {
  ask: RunSql;
  /**
   * Runs `work` in one transaction: all of it or nothing. After a deadlock it is rolled back and
   * run again, so `work` must have no effects outside its own `ask`.
   */
  transaction<T>(work: (ask: RunSql) => Promise<T>): Promise<T>;
}
